"""What jobs ask a cluster for. No rules.

Jobs of minutes share a submission: all text of a study below the paper scale (`text`), the training of a run and its
decoding (`run_...`), and as many scores as the profile says (`score`). `lane` is a job's share of such a submission's
width, which the profile sets to 2: jobs of lane 1 run two abreast, one of lane 2 runs alone.
"""

TEXT_GROUP = at_scale("text", paper=None)
RUN_GROUP = "run_{study}_{system}_{fraction}_seed{seed}"
TRAINING_GROUP = RUN_GROUP if GPUS <= 1 else None  # Decoding would leave all but one of them idle.


def growing(amount):
    """Return a request that grows when a job is tried again: to one and a half times, then twice the amount."""
    return lambda wildcards, attempt: amount * (1 + min(attempt, 3)) // 2
