"""What the console (src/snakemake_logger_plugin_seqpre) shows besides Snakemake's events: changed settings, time left.

What came out, its last words, is in report.smk.
"""


def settings_to_write(job):
    """Return the run.json or lm.json that a job would write, if it is known before the job runs."""
    if job.rule.name == "resolve_lm":
        return resolved_lm(job.wildcards)
    return run_to_json(job.wildcards, [file for file in tuned_settings(job.wildcards) if Path(file).exists()])


def model_of(job):
    """Return the readable name of the model whose settings a job writes: its system, or its LM."""
    if job.rule.name == "resolve_lm":
        return f"LM {lm_and_seed(job.wildcards.lm)[0]}"
    return " ".join([job.wildcards.study] * (len(STUDIES) > 1) + [job.wildcards.system])


def changed_settings():
    """Return the settings that differ from those on disk, one line a change, with the models affected."""
    models = {}
    for job in workflow.dag.needrun_jobs(exclude_finished=False):
        if job.rule.name not in ("resolve_lm", "resolve_run"):
            continue
        try:
            before = read_json(job.output[0])
        except (FileNotFoundError, DataError):  # a new run, or a file that the job will fix
            continue
        lines = [line.removeprefix("settings.") for line in changed(before, settings_to_write(job))]
        if lines:
            models.setdefault(", ".join(lines), []).append(model_of(job))
    return sorted(f"{', '.join(sorted(set(names)))}: {lines}" for lines, names in models.items())


def time_left():
    """Return the function that estimates the time left for local jobs; None if unknown, as with a queue."""
    if not workflow.local_exec:
        return None
    from seqpre.planning.dag import nodes
    from seqpre.planning.planner import make_plan
    from seqpre.planning.remaining import Remaining

    jobs = list(nodes(workflow.dag))
    try:
        plan = make_plan(config, ROOT, GPUS, workflow.cores, nodes=jobs)
        return Remaining(jobs, plan, workflow.cores, Path())
    except (ConfigError, DataError):  # the size of a text is unknown, or a record of an earlier job is damaged
        return None
