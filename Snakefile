"""Reproduce the papers: text -> subwords -> language models -> runs -> hypotheses -> scores -> tables and figures.

snakemake --cores 2                                            everything that config.yaml asks for
snakemake --cores 2 --config scale=small                       the same on real text
snakemake --cores 2 ramachandran-translation                   one study
snakemake --cores 2 ramachandran-translation_encoder_only      one system: training, decoding, scores
snakemake --cores 2 tables figures                             all tables, all figures
snakemake --cores 2 samples human_study                        pages of samples, and a page for people to rate outputs
snakemake --cores 2 report                                     one page of what is there, without training anything
snakemake --cores 2 -n                                         what would run, and why
snakemake --cores 1 list_targets                               the names of all targets
"""


include: "workflow/rules/common.smk"
include: "workflow/rules/inputs/corpora.smk"
include: "workflow/rules/inputs/runs.smk"
include: "workflow/rules/inputs/outputs.smk"
include: "workflow/rules/inputs/pages.smk"
include: "workflow/rules/inputs/report.smk"
include: "workflow/rules/inputs/console.smk"
include: "workflow/rules/cluster.smk"


report: "workflow/report/workflow.rst"


container: str(ROOT / "envs/seqpre.sif")  # for every job, with `--sdm apptainer`


include: "workflow/rules/targets.smk"


localrules:
    all,
    list_targets,


rule all:
    """Everything the configured studies declare."""
    input:
        [study_results(study) for study in STUDIES.values()],
    message:
        "Everything is there"


rule list_targets:
    """Print the names of all targets."""
    log:
        f"{RESULTS}/{SCALE}/targets.log",
    params:
        names=[*TARGETS],
    message:
        "List the names of all targets"
    shell:
        "printf '%s\\n' {params.names:q} | tee {log:q}"


include: "workflow/rules/download.smk"
include: "workflow/rules/filter.smk"
include: "workflow/rules/subwords.smk"
include: "workflow/rules/pretrain.smk"
include: "workflow/rules/backtranslate.smk"
include: "workflow/rules/finetune.smk"
include: "workflow/rules/decode.smk"
include: "workflow/rules/score.smk"
include: "workflow/rules/report.smk"
include: "workflow/rules/pages.smk"


onstart:
    check_start()
    if estimate := time_left():
        logger.info(None, extra={"time_left": estimate})


# For the console (src/snakemake_logger_plugin_seqpre): the results at the end, or the changed settings of a dry run.
logger.info(
    None, extra={"studies": list(STUDIES), "closing_words": closing_words, "changed_settings": changed_settings}
)
