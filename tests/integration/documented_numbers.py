"""What the numbers of the README and of the pages of results are of, as their records know it."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Table:
    """A table of a page, and what its cells are.

    A column is `fraction text [metric]`. `tests` is the mean over the tests, `perplexity` the lowest of validation;
    `greedy@900` and `perplexity@900` those of validation after so many updates; `average` at the end: of the mean of
    the last checkpoints; `each`: every seed by itself; `seed1`: that one; `+longer`: of the systems with that suffix;
    `Δ` before it: less the study's reference. A row is a system, or a sum of systems; several, as its cells have
    several; `@` names another text than the column's. `published` are numbers of the paper. What records do not have is
    empty.
    """

    page: str
    header: str
    study: str
    columns: tuple[str, ...]
    rows: tuple[str, ...]
    transposed: bool = False
    """Whether systems are its columns."""


SIZES = ("1250", "2500", "5k", "10k", "20k", "40k")
TITLES, HEADLINES, ADDED = "ramachandran-summarization", "ramachandran-headlines", "ramachandran-backtranslation"
BESIDE, TUNED = "edunov-backtranslation", "ramachandran-translation-tuned"
ALL_PAIRS = "ramachandran-translation-all"
MULTI30K, TATOEBA, GERMAN, TURKISH = (
    "ramachandran-translation", "ramachandran-translation-tatoeba", "edunov-translation", "edunov-turkish"
)  # fmt: skip
ABLATIONS = (
    "full", "no_pretraining", "decoder_only", "no_lm_objective", "embeddings_only", "encoder_only",
    "embeddings_and_lstm", "parallel_lm",
)  # fmt: skip
GAINS = ("src_elmo - baseline", "src_elmo_shdemb - baseline")
TABLES = [
    Table("results-edunov-summarization.md", "| | published, CNN/Daily Mail, ROUGE-1 |", "edunov-headlines",
          ("published", "100pct test"),
          ("baseline", "shdemb", "src_elmo", "src_elmo_shdemb", "src_elmo_shdemb - baseline")),
    Table("results-edunov-summarization.md", "| system | 2,000 pairs", "edunov-headlines",
          ("2k valid", "2k test", "100pct valid", "100pct test", "100pct test rouge_2", "100pct test rouge_l"),
          ("baseline", "shdemb", "src_elmo", "src_elmo_shdemb", "src_elmo_shdemb - baseline",
           "src_elmo_shdemb - shdemb", "words_8, words_12")),
    Table("results-edunov-summarization.md", "| greedy validation ROUGE-1 after updates | 3,000 | 6,000 |",
          "edunov-headlines", ("100pct greedy@3000", "100pct greedy@6000"),
          ("baseline", "shdemb", "src_elmo", "src_elmo_shdemb")),
    Table("results-edunov-summarization.md", "| validation perplexity after updates |", "edunov-summarization",
          ("100pct perplexity@500", "100pct perplexity@1000"), ("", "baseline", "src_elmo_shdemb")),
    Table("results-edunov-summarization.md", "| system | ROUGE-1 | ROUGE-2 |", "edunov-summarization",
          ("100pct test", "100pct test rouge_2", "100pct test rouge_lsum", "100pct valid", "published"),
          ("baseline", "src_elmo_shdemb", "lead_3")),
    Table("results-edunov-translation.md", "| system | 1,250 pairs |", "edunov-translation",
          (*(f"{size} test" for size in SIZES), "40k test +longer", "published", "published"),
          ("baseline", "shared", "shared_bitext_bpe", "src_elmo", "src_ft", "tgt_elmo", "tgt_ft", "src_elmo_shdemb",
           "shdemb", "src_elmo - baseline", "tgt_elmo - baseline", "src_elmo_shdemb - baseline",
           "src_elmo_shdemb - baseline @ valid", "src_elmo_shdemb - shdemb", "src_elmo_shdemb - shdemb @ valid")),
    Table("results-edunov-translation.md", "| gain over the baseline |", "edunov-translation",
          tuple(f"{size} test" for size in SIZES),
          ("shdemb - baseline", "tgt_elmo - baseline @ valid", "tgt_ft - baseline", "tgt_ft - baseline @ valid")),
    Table("results-edunov-translation.md", "| difference | pairs |", "edunov-translation",
          ("", "40k test", "40k valid"),
          ("baseline/1250 - tgt_ft/1250", "baseline/1250 - src_ft/1250", "src_elmo - baseline", "tgt_elmo - baseline",
           "tgt_ft - baseline", "shared/1250 - baseline/1250", "shared_bitext_bpe - shared")),
    Table("results-edunov-translation.md", "| validation perplexity, 1,250 pairs |", "edunov-translation",
          ("1250 perplexity@300", ""), ("baseline", "src_elmo", "src_elmo_shdemb")),
    Table("results-edunov-translation.md", "| updates, src-ft with 40,000 pairs |", "edunov-translation",
          tuple(f"40k greedy@{updates} seed1" for updates in (600, 1200, 2400)), ("src_ft",)),
    Table("results-edunov-translation.md", "| greedy validation BLEU after updates |", "edunov-translation",
          tuple(f"40k greedy@{updates} +longer" for updates in (900, 1800, 2700, 3600, 7200)),
          ("baseline", "src_elmo", "shared", "src_elmo_shdemb")),
    Table("results-edunov-translation.md", "| test BLEU, 1,250 pairs, dropout |", "edunov-translation",
          ("1250 test +dropout_1", "1250 test", "1250 test +dropout_5"),
          ("baseline", "src_elmo_shdemb", "src_elmo_shdemb - baseline")),
    Table("results-edunov-translation.md", "| test BLEU of the average |", "edunov-translation",
          tuple(f"{size} test average" for size in SIZES),
          ("baseline", "src_elmo", "tgt_elmo", "tgt_ft", "src_elmo_shdemb", "shared")),
    Table("results-edunov-translation.md", "| pairs | 2,500 |", "edunov-translation-longer-lm",
          tuple(f"{size} test average" for size in SIZES[1:]), ("baseline", "src_elmo", "src_elmo_shdemb")),
    Table("results-edunov-translation.md", "| pairs | 1,250 |", "edunov-translation-longer-lm",
          tuple(f"{size} test" for size in SIZES),
          ("baseline", "src_elmo", "src_elmo_shdemb", "src_elmo - baseline", "src_elmo - baseline @ valid",
           "src_elmo_shdemb - baseline", "src_elmo_shdemb - baseline @ valid", "published src_elmo - baseline",
           "published src_elmo_shdemb - baseline")),
    Table("results-edunov-turkish.md", "| system | published, newstest2018 |", "edunov-turkish",
          ("published", "5k valid", "5k test", "100pct valid", "100pct test", "100pct ntrex"),
          ("baseline", "src_elmo", "src_elmo_shdemb", "shdemb", *GAINS, "shdemb - baseline")),
    Table("results-edunov-turkish.md", "| mean of the last three checkpoints |", "edunov-turkish", ("5k test average",),
          ("baseline", "src_elmo", "src_elmo_shdemb"), transposed=True),
    Table("results-poda-correction.md", "| system | CoNLL-2014: P |", "poda-correction",
          ("100pct conll2014 m2_precision", "100pct conll2014 m2_recall", "100pct conll2014", "100pct jfleg",
           "100pct valid"),
          ("full", "ensemble_4", "no_pretrained_encoder", "no_pretrained_decoder", "no_pretraining", "no_finetuning",
           "copied_source", "", "published full; published no_pretraining")),
    Table("results-poda-correction.md", "| model of the published code |", "poda-correction-published",
          ("100pct conll2014 m2_precision", "100pct conll2014 m2_recall", "100pct conll2014", "100pct jfleg",
           "100pct valid"),
          ("full", "no_pretraining", "full - no_pretraining")),
    Table("results-poda-correction.md", "| updates | perplexity |", "poda-correction",
          ("", "100pct conll2014", "100pct jfleg", "100pct valid", "", "", "", ""),
          ("no_pretraining", *(f"full_checkpoint_{number}" for number in range(1, 9)), "full")),
    Table("results-poda-headlines.md", "| system | 1,000 pairs, validation |", "poda-headlines",
          ("1k valid", "1k test", "100pct valid", "100pct test"),
          ("full", "no_pretrained_encoder", "no_pretrained_decoder", "no_pretraining", "full - no_pretraining",
           "no_finetuning", "words_8, words_10, words_12", "lead_1")),
    Table("results-poda-headlines.md", "| model of the published code |", "poda-headlines-published",
          ("1k valid", "1k test", "100pct valid", "100pct test"),
          ("full", "no_pretraining", "full - no_pretraining")),
    Table("results-poda-headlines.md", "| updates of the denoiser |", "poda-headlines", ("1k test",),
          (*(f"full_checkpoint_{number}" for number in range(1, 5)), "full"), transposed=True),
    Table("results-poda-summarization.md", "| system | ROUGE-1 |", "poda-summarization",
          ("100pct test", "100pct test rouge_2", "100pct test rouge_lsum"),
          ("full", "no_pretraining", "full - no_pretraining", "no_finetuning", "lead_1", "lead_3")),
    Table("results-poda-summarization.md", "| PoDA, three seeds |", "poda-summarization",
          ("100pct test", "100pct greedy@150", "100pct greedy@600", "100pct perplexity"), ("full", ""),
          transposed=True),
    Table("results-poda-summarization.md", "| PoDA, three seeds |", "poda-summarization-published",
          ("100pct test", "100pct greedy@150", "100pct greedy@600", "100pct perplexity"), ("", "full"),
          transposed=True),
    Table("results-ramachandran-summarization.md", "| system, 6,029 pairs, five seeds |", TITLES,
          ("published", "Δ 100pct valid", "Δ 100pct test", "100pct perplexity", "100pct test", "100pct test each"),
          (*ABLATIONS, "two_lms", "mixed_lm", "no_pretraining_no_lm_objective", "lead_1; lead_3")),
    Table("results-ramachandran-summarization.md", "| system | Δ ROUGE-1, published |", f"{TITLES}-first",
          ("published", "Δ 100pct valid", "100pct perplexity", "100pct test", "100pct test rouge_l"),
          (*ABLATIONS, "lead_1; lead_3")),
    Table("results-ramachandran-summarization.md", "| system, 8,681 pairs, three seeds |", HEADLINES,
          ("100pct valid", "100pct perplexity", "100pct test", "100pct test each"),
          ("full", "encoder_only", "decoder_only", "no_lm_objective", "no_pretraining",
           "no_pretraining_no_lm_objective", "parallel_lm", "words_8, words_10, words_12")),
    Table("results-ramachandran-translation.md", "| all pairs, main study |", "ramachandran-translation",
          ("published", "100pct test_2016_flickr", "100pct test_2017_flickr"),
          ("no_pretraining", "full", "full - no_pretraining")),
    Table("results-ramachandran-translation.md", "| system | 2.5 % |", "ramachandran-translation",
          tuple(f"{share}pct tests" for share in ("2.5", "5", "10", "20", "100")),
          ("full", "decoder_only", "encoder_only", "no_pretraining", "no_pretraining_no_lm_objective",
           "low_resource_frozen")),
    Table("results-ramachandran-translation.md", "| BLEU, 10 % of the pairs |", "ramachandran-translation",
          ("10pct tests", *(f"10pct tests +{variant}" for variant in (
              "half_budget", "double_budget", "long_budget", "light_lm_objective"))),
          ("full", "no_pretraining")),
    Table("results-ramachandran-translation.md", "| system | BLEU |", "ramachandran-translation", ("10pct tests",),
          ("no_lm_objective", "embeddings_only", "embeddings_and_lstm", "other_domain_lm", "parallel_lm")),
    Table("results-ramachandran-translation.md", "| system | pairs | difference to full |", "ramachandran-translation",
          ("", "10pct tests", ""),
          (*(f"decoder_only/{share}pct - full/{share}pct" for share in ("2.5", "5", "20")),
           "no_pretraining/5pct - full/5pct", "encoder_only/5pct - full/5pct", "no_lm_objective - full",
           "parallel_lm - full")),
    Table("results-ramachandran-translation.md", "| best validation perplexity |", "ramachandran-translation",
          ("2.5pct perplexity", "10pct perplexity", "100pct perplexity"), ("full", "no_pretraining")),
    Table("results-ramachandran-translation.md", "| system | 5 %, 1,449 pairs |", TUNED,
          ("5pct tests", "Δ 5pct tests", "20pct tests", "Δ 20pct tests"),
          ("full", "all_but_encoder_lstm", "decoder_only", "encoder_only", "no_lm_objective", "no_pretraining",
           "no_pretraining_no_lm_objective")),
    Table("results-ramachandran-translation.md", "| all pairs | seeds | validation |", ALL_PAIRS,
          ("", "100pct valid", "100pct test_2016_flickr", "100pct test_2017_flickr"),
          ("full_lower_rate", "no_pretraining_lower_rate", "full_lower_rate - no_pretraining_lower_rate",
           "no_lm_objective_lower_rate", "neither_lower_rate", "full", "no_pretraining",
           "no_pretraining_first_design")),
    Table("results-ramachandran-translation.md", "| system | 20 %, 1,411 pairs |", "ramachandran-translation-tatoeba",
          ("20pct test", "100pct test"),
          ("full", "decoder_only", "encoder_only", "no_pretraining", "no_pretraining_no_lm_objective", "ensemble_5")),
    Table("results-ramachandran-translation.md", "| 10 % of the pairs |", ADDED,
          ("10pct test_2016_flickr", "10pct test_2017_flickr", "Δ 10pct tests"),
          ("no_pretraining_no_lm_objective", "full", "backtranslation", "backtranslation_10",
           "backtranslation_and_pretraining")),
    Table("results-ramachandran-translation.md", "| all pairs, one seed | validation", "ramachandran-news",
          ("100pct valid", "100pct newstest2014", "100pct newstest2015", "100pct perplexity"),
          ("full", "no_pretraining")),
    Table("results-edunov-translation.md", "| 5,000 pairs | test BLEU |", BESIDE, ("5k test", "Δ 5k test"),
          ("baseline", "src_elmo", "backtranslation", "backtranslation_10", "backtranslation_and_src_elmo")),
    Table("results-transformer-translation.md", "| text | BLEU", "transformer-translation", ("100pct tests",),
          ("transformer @ valid", "transformer @ test_2016_flickr", "transformer @ test_2017_flickr")),
    Table("results-transformer-translation.md", "| 5,000 pairs of Tatoeba, BLEU |", "transformer-low-resource",
          ("5k valid", "5k test"), ("usual", "more_dropout", "tuned_5k")),
]  # fmt: skip

PROSE: dict[str, list[tuple[str, str, str]]] = {
    "README.md": [
        (MULTI30K, "full - no_pretraining", "100pct test_2016_flickr"),
        (ALL_PAIRS, "full_lower_rate - no_pretraining_lower_rate", "100pct tests"),
        (MULTI30K, "R-C9", ""),
        (TUNED, "full - no_pretraining", "5pct tests"),
        (TATOEBA, "full - no_pretraining", "100pct test"),
        (TITLES, "full - no_pretraining", "100pct test"),
        ("poda-headlines", "full - no_pretraining", "100pct test"),
        ("poda-correction", "P-C1", ""),
        ("poda-correction", "P-C1", ""),
        ("poda-summarization", "full - no_pretraining", "100pct test"),
        (GERMAN, "src_elmo - baseline", "1250 test"),
        (GERMAN, "src_elmo_shdemb - baseline", "1250 test"),
        (GERMAN, "src_elmo - baseline", "40k test"),
        (TURKISH, "E-C10", ""),
        (TURKISH, "E-C10", ""),
        (TURKISH, "src_elmo - baseline", "100pct test"),
        ("edunov-headlines", "src_elmo_shdemb - baseline", "100pct test"),
    ],
    "results.md": [
        (MULTI30K, "full - no_pretraining", "100pct test_2016_flickr"),
        (MULTI30K, "full - no_pretraining", "100pct test_2017_flickr"),
        (ALL_PAIRS, "full_lower_rate - no_pretraining_lower_rate", "100pct tests"),
        (MULTI30K, "R-C9", ""),
        (MULTI30K, "R-C15", ""),
        (MULTI30K, "R-C15", ""),
        (TUNED, "full - no_pretraining", "5pct tests"),
        (TUNED, "full - no_pretraining", "20pct tests"),
        (TATOEBA, "full - no_pretraining", "100pct test"),
        (TATOEBA, "R-C4", ""),
        (ADDED, "full - backtranslation", "10pct tests"),
        (ADDED, "backtranslation_and_pretraining - no_pretraining_no_lm_objective", "10pct tests"),
        (TITLES, "no_pretraining - full", "100pct test"),
        (HEADLINES, "no_pretraining - full", "100pct test"),
        (HEADLINES, "full - no_pretraining_no_lm_objective", "100pct test"),
        ("poda-headlines", "full - no_pretraining", "100pct test"),
        ("poda-headlines", "full - no_pretraining", "1k test"),
        ("poda-headlines-published", "full - no_pretraining", "100pct test"),
        ("poda-correction", "P-C1", ""),
        ("poda-correction", "P-C1", ""),
        ("poda-correction-published", "P-C1", ""),
        ("poda-correction-published", "P-C1", ""),
        ("poda-summarization", "full - no_pretraining", "100pct test"),
        (GERMAN, "src_elmo - baseline", "1250 test"),
        (GERMAN, "src_elmo_shdemb - baseline", "1250 test"),
        (GERMAN, "src_elmo - baseline", "40k test"),
        (GERMAN, "src_elmo_shdemb - baseline", "40k test"),
        (BESIDE, "backtranslation_and_src_elmo - baseline", "5k test"),
        (TURKISH, "E-C10", ""),
        (TURKISH, "E-C10", ""),
        (TURKISH, "src_elmo - baseline", "100pct test"),
        (TURKISH, "src_elmo_shdemb - baseline", "100pct tests"),
        ("edunov-headlines", "src_elmo_shdemb - baseline", "100pct test"),
    ],
    "results-edunov-translation.md": [(BESIDE, "backtranslation_and_src_elmo - baseline", "5k test")],
    "results-edunov-turkish.md": [
        (TURKISH, "E-C10", ""),
        (TURKISH, "src_elmo_shdemb - shdemb", "5k test"),
        (TURKISH, "src_elmo_shdemb - shdemb", "5k valid"),
    ],
    "results-poda-correction.md": [
        ("poda-correction", "P-C1", ""),
        ("poda-correction", "P-C1", ""),
        ("poda-correction", "P-C3", ""),
        ("poda-correction", "P-C4", ""),
        ("poda-correction", "P-C4", ""),
    ],
    "results-poda-headlines.md": [
        ("poda-headlines", "", "")  # over documents, which no table has
    ],
    "results-poda-summarization.md": [("poda-summarization-published", "full", "100pct valid")],
    "results-ramachandran-summarization.md": [
        (f"{TITLES}-first", "no_pretraining - full", "100pct test"),
        (f"{TITLES}-causes", "full - half_rate", "100pct valid"),
        (f"{TITLES}-causes", "full - no_target_lm", "100pct valid"),
        (f"{TITLES}-causes", "no_source_lm - full", "100pct valid"),
        (HEADLINES, "full - no_pretraining", "100pct test"),
        (HEADLINES, "full - no_pretraining_no_lm_objective", "100pct test"),
        (HEADLINES, "full - parallel_lm", "100pct test"),
        *((HEADLINES, claim, "") for claim in ("R-C11", "R-C11", "R-C12", "R-C14")),
        (f"{TITLES}-scitldr", "full", "100pct test"),
        (f"{TITLES}-scitldr", "no_pretraining", "100pct test"),
    ],
    "results-ramachandran-translation.md": [
        (TUNED, "full - no_pretraining", "5pct tests"),
        (MULTI30K, "full_light_lm_objective - full", "10pct tests"),
        (MULTI30K, "no_pretraining_light_lm_objective - no_pretraining", "10pct tests"),
        (MULTI30K, "no_lm_objective - no_pretraining_no_lm_objective", "10pct tests"),
        (MULTI30K, "no_lm_objective - no_pretraining_no_lm_objective - full + no_pretraining", "10pct tests"),
        *((MULTI30K, claim, "") for claim in ("R-C1", "R-C1", "R-C9", "R-C10", "R-C4", "R-C8", "R-C15", "R-C15")),
        (MULTI30K, "decoder_only - no_pretraining", "2.5pct tests"),
        (MULTI30K, "decoder_only - no_pretraining", "5pct tests"),
        (MULTI30K, "decoder_only - no_pretraining", "10pct tests"),
        (MULTI30K, "decoder_only - no_pretraining", "20pct tests"),
        (TUNED, "full - no_pretraining", "5pct tests"),
        (TUNED, "full - no_pretraining", "20pct tests"),
        (
            TUNED,
            "full/5pct - no_pretraining_no_lm_objective/5pct - full + no_pretraining_no_lm_objective",
            "20pct tests",
        ),
        (TUNED, "full/5pct - no_pretraining/5pct - full + no_pretraining", "20pct tests"),
        (TUNED, "no_pretraining - no_pretraining_no_lm_objective", "5pct tests"),
        (TUNED, "full - no_lm_objective", "5pct tests"),
        (TUNED, "no_lm_objective - no_pretraining_no_lm_objective", "5pct tests"),
        (TUNED, "all_but_encoder_lstm - no_pretraining", "5pct tests"),
        (TUNED, "decoder_only - encoder_only", "5pct tests"),
        (TATOEBA, "no_pretraining - full", "20pct test"),
        (TATOEBA, "no_pretraining - full", "100pct test"),
        (TATOEBA, "decoder_only - full", "20pct test"),
        (TATOEBA, "decoder_only - no_pretraining", "20pct test"),
        *((TATOEBA, claim, "") for claim in ("R-C1", "R-C4", "R-C5", "R-C9", "R-C14", "R-C15")),
        (ADDED, "backtranslation_and_pretraining - no_pretraining_no_lm_objective", "10pct tests"),
    ],
}
"""What sentences of pages give with an interval or a deviation, in order: study, row and column as of tables."""


NOT_COUNTED = {
    "results-poda-headlines.md": {"1,951", "100,000"},
    "results-edunov-summarization.md": {"1,000"},
    "results-ramachandran-translation.md": {"5,785"},
    "results.md": {"5,785"},
}
"""Numbers of pairs that no record has: those of a test, the paper's, and trials'."""
TESTED_BY_HAND = {
    "results-edunov-translation.md": {"0.006"},
    "results-edunov-turkish.md": {"0.009"},
    "results-poda-correction.md": {"0.001", "0.24"},
    "results-ramachandran-summarization.md": {"0.06"},
    "results-ramachandran-translation.md": {"0.008", "0.012"},
}
"""P-values of which the pages say that no table has them."""
