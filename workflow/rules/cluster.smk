"""The resources that jobs request from a cluster. No rules.

Jobs of minutes share a submission: the training of a run and its decoding (`run_...`), below the paper scale all text
of a corpus (`text_...`) or a pretraining (`pretraining_...`), and as many scores as the profile says (`score`). The
scores of a submission run one after the other: each takes a `lane`, and the profile gives a submission one.
"""

import threading

from snakemake.exceptions import WorkflowError

from seqpre.cluster.reservations import claim
from seqpre.cluster.queue import check_requests, comment_of, leftovers, wait_for, watch
from seqpre.cluster import groups, scheduler

groups.mend()


def text_group(wildcards):
    """Return the group in which the text of a corpus is made; at the paper scale each job is submitted on its own.

    A pretraining's text waits for the evaluation text of studies, and text of studies for its vocabulary.
    """
    owner, vocabulary = wildcards.get("owner"), None
    if "encoding" in wildcards.keys():
        owner, vocabulary = ENCODINGS[wildcards.encoding]
    elif "vocabulary" in wildcards.keys():
        vocabulary = VOCABULARIES[wildcards.vocabulary]
        owner = vocabulary.owner
    if SCALE == "paper" or (vocabulary and owner != vocabulary.owner):
        return None
    if owner in PRETRAININGS:
        return f"pretraining_{owner}"
    return f"text_{wildcards.get('corpus') or STUDIES[owner].corpora['bitext']}"


def spelling_group(wildcards):
    """Return the group in which the spelling of a study's text is corrected: that of its text, if its words are, too."""
    study = STUDIES[wildcards.owner]
    return text_group(wildcards) if study.vocabulary(study.base).owner == study.name else None


def run_group(wildcards):
    """Return the group in which a run is trained and decoded; an ensemble is decoded in a job of its own."""
    run = run_of(wildcards)
    return run and f"run_{run.study}_{run.system}_{run.fraction}_seed{run.seed}"


TRAINING_GROUP = run_group if GPUS <= 1 else None  # Decoding would leave all but one idle.


def growing(amount, ensemble=1):
    """Return a resource that grows on retries: to one and a half times, then twice the amount.

    Decoding an ensemble takes `ensemble` times as much as decoding a run.
    """

    def request(wildcards, attempt):
        several = wildcards.get("outputs", "").startswith("ensembles/")
        return amount * (ensemble if several else 1) * (1 + min(attempt, 3)) // 2

    return request


# A training that stops at its time limit is requeued as the same Slurm job: this uses up no retry, and works even if
# Snakemake has ended. It does not apply if Snakemake itself runs in the user's own job and trains there.
SUBMITTED = not workflow.is_main_process
STOP_IN_TIME = " ${{SLURM_JOB_ID:+--stop-after {resources.runtime}}}" if SUBMITTED else ""
REQUEUE = (
    " || {{ status=$?; if [ -n \"${{SLURM_JOB_ID-}}\" ] && grep -q 'run the same command again to go on' {log:q}"
    ' && [ "$(squeue --noheader --jobs "$SLURM_JOB_ID" --format %T)" = RUNNING ]'
    ' && scontrol requeue "$SLURM_JOB_ID"; then sleep 600; fi; exit $status; }}'
    if SUBMITTED
    else ""
)


def check_start():
    """Wait for files that other processes make or an earlier Snakemake submitted; reject jobs that cannot run."""
    scheduler.mend()
    jobs = list(workflow.dag.needrun_jobs())
    check_machine({job.name for job in jobs})
    check_limits(jobs)
    check_shared_gpus({job.name for job in jobs})
    check_own_text({job.wildcards.get("corpus") for job in jobs if job.name == "extract"})
    try:
        claimed = claim(Path(RESULTS), {os.path.relpath(file, RESULTS) for job in jobs for file in job.output})
    except KeyboardInterrupt:
        raise WorkflowError("stopped waiting; the other process goes on") from None
    if not claimed:
        plan_anew()
    submissions = [job for job in map(submission_of, jobs) if not job.is_local]
    if workflow.local_exec or not submissions:
        return
    from seqpre.cluster.slurm_plugin import mend

    mend()
    threading.Thread(target=watch, args=(Path.cwd(),), daemon=True).start()
    comments = [comment_of(job) for job in submissions]
    if left := leftovers(Path.cwd(), comments):
        print(
            f"Waiting for {len(left)} jobs that an earlier Snakemake left in the queue. To submit them anew instead: "
            f"scancel {' '.join(left)} (training goes on from its checkpoints)",
            file=sys.stderr,
            flush=True,
        )
        try:
            wait_for(Path.cwd(), comments)
        except KeyboardInterrupt:
            raise WorkflowError("stopped waiting; those jobs run on") from None
        plan_anew()
    check_requests({sbatch_options(job): job.name for job in submissions})


def check_machine(rules):
    """Reject, before the first job, a mirror that does not answer, and trainings on nodes or GPUs that are not here."""
    mirror = os.getenv("SEQPRE_MIRROR", "")
    if "download" in rules and is_address(mirror):
        from seqpre.checks.data import answers

        if not answers(mirror):
            raise WorkflowError(
                f"the mirror {mirror} does not answer; correct SEQPRE_MIRROR or `mirror`, or leave it out"
            )
    if NODES > 1 and workflow.local_exec and TRAINING_RULES & rules and "SLURM_JOB_ID" not in os.environ:
        per_node = config["gpus_per_node"]
        raise WorkflowError(
            f"gpus is {GPUS} and gpus_per_node {per_node}: a training on {NODES} nodes needs Slurm; add `--profile slurm`,"
            f" or set `gpus` to at most {per_node}"
        )
    elsewhere = not workflow.local_exec or workflow.deployment_settings.deployment_method
    on_gpus = TRAINING_RULES | ({"decode", "backtranslate"} if SCALE == "paper" else set())
    if GPUS and not elsewhere and on_gpus & rules and os.getenv("SEQPRE_DEVICE") != "cpu":
        from seqpre.common.device import NO_GPUS, check_gpus

        submit = "add `--profile slurm`, or SEQPRE_DEVICE=cpu for a processor, which would take months"
        try:
            check_gpus(PER_NODE, submit if SCALE == "paper" else NO_GPUS)
        except ConfigError as error:
            raise WorkflowError(str(error)) from None


def check_limits(jobs):
    """Reject `--resources` that limit other GPU resources than jobs ask for, or drop the lane of a profile's scores."""
    limits = {name: one.value for name, one in workflow.global_resources.items() if not name.startswith("_")}
    if not workflow.local_exec:
        if limits and "lane" not in limits:
            given = " ".join(f"{name}={limit}" for name, limit in limits.items())
            raise WorkflowError(
                "--resources replaces the profile's lane=1, by which the scores of a submission run one after the other;"
                f" write --resources {given} lane=1"
            )
        return
    share = config["runs_per_gpu"]
    for asked, limited, mend in (
        ("shard", "gpu", f"add shard=<GPUs here, times {share}> to --resources, or set `runs_per_gpu` to 1"),
        ("gpu", "shard", "add gpu=<GPUs here> to --resources, or set `runs_per_gpu` to how many share a GPU"),
    ):
        if limited not in limits or asked in limits:
            continue
        free = {job.name for job in jobs if job.resources.get(asked) and not job.resources.get(limited)}
        if free:
            raise WorkflowError(
                f"--resources {limited}={limits[limited]} does not limit {', '.join(sorted(free))}: runs_per_gpu is"
                f" {share}, so each asks for a {asked}; {mend}"
            )


def check_shared_gpus(rules):
    """Reject trainings that share a GPU and do not fit into its memory, if the sizes of texts are known."""
    if config["runs_per_gpu"] == 1 or not TRAINING_RULES & rules:
        return
    from seqpre.planning.dag import nodes
    from seqpre.planning.planner import check_memory, make_plan

    try:
        plan = make_plan(config, ROOT, max(1, GPUS), cores=1, nodes=list(nodes(workflow.dag)))
    except (ConfigError, DataError):  # the size of a text is unknown
        return
    try:
        check_memory(plan, config["gpu_memory_gb"])
    except ConfigError as error:
        raise WorkflowError(str(error)) from None


def check_own_text(corpora):
    """Reject the user's own text, if it is to be extracted, when it is unreadable or nothing of it would be left."""
    if not corpora & {row.name for row in ROWS if row.own is not None}:
        return
    from seqpre.checks.checkout import existing
    from seqpre.checks.own_text import examine

    print("Reading your own text before anything is made of it", file=sys.stderr, flush=True)
    _, doubts = examine(list(STUDIES.values()), ROWS, existing(Path(RESULTS)))
    for doubt in doubts:
        print(f"Your own text: {doubt}", file=sys.stderr, flush=True)


def plan_anew():
    """Restart this command."""
    workflow.persistence.unlock()
    os.execv(sys.executable, [sys.executable, *sys.orig_argv[1:]])


def submission_of(job):
    """Return the group that a job is submitted with, or the job itself."""
    return workflow.dag.get_job_group(job) or job


def sbatch_options(job):
    """Return the sbatch options of a job, as Snakemake's plugin writes them."""
    from snakemake_executor_plugin_slurm.submit_string import get_submit_command
    from snakemake_executor_plugin_slurm.utils import set_gres_string

    flags = {"partition": "-p", "account": "-A"}
    named = {key: job.resources.get(f"slurm_{key}") for key in flags}
    about = {key: f"{flags[key]} {value}" if value else "" for key, value in named.items()}
    nothing = {"run_uuid": "", "slurm_logfile": "", "comment_str": "", "workdir": None}
    words = shlex.split(get_submit_command(job, about | nothing, workflow.executor_settings) + set_gres_string(job))
    return shlex.join(words[words.index("--comment") + 2 :])
