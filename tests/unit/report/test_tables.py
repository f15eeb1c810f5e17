"""The tables of a study, on invented runs whose numbers are known."""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path

import pytest
from study_tree import LABELS, PUBLISHED, Tree, fill, write

from seqpre.common.errors import DataError
from seqpre.report import summary, tables
from seqpre.report.ablations import ablation_table
from seqpre.report.contrasts import contrast, minus
from seqpre.report.cost import cost_table
from seqpre.report.draw_fractions import draw_fractions
from seqpre.report.fractions import fraction_table
from seqpre.report.learning import learning_table
from seqpre.report.printed_table import printed_table
from seqpre.report.results import Results
from seqpre.report.speed import speed_table
from seqpre.report.style import styled
from seqpre.report.table import Cell, Table, provenance, to_csv
from seqpre.study.paper import InPaper


def row(table: Table, **words: str) -> Mapping[str, Cell]:
    """Return the one row whose cells read so."""
    (found,) = [one for one in table.rows if all(one[key].text == word for key, word in words.items())]
    return found


def table_1(results: Results) -> Table:
    return printed_table(results, "table_1")


def table_2(results: Results) -> Table:
    return printed_table(results, "table_2")


def arguments(tree: Tree, *more: str) -> list[str]:
    tree.described()
    return [str(tree.study_dir), "--checkout", str(PUBLISHED.parents[1]), *more]


def test_what_the_paper_does_not_have_gets_no_column(full_tree: Tree) -> None:
    for table_of in (ablation_table, fraction_table):
        alone, beside = table_of(full_tree.load(published=False)).columns, table_of(full_tree.load()).columns
        gone = set(beside) - set(alone)
        assert "verdict" in gone
        assert len(gone) > 1
        assert all(key.startswith("published") for key in gone - {"verdict"})


def test_table_1_sets_ours_beside_the_published_rows(full_tree: Tree) -> None:
    table = table_1(full_tree.load())
    full = row(table, system="Pretrained seq2seq", setting="single")
    # With all data the seeds have 35.2 and 35.6 on validation, 1 less plus 0.2 on the tests.
    assert full["published_newstest2014"].text == "24.0"
    assert full["ours_test_2016_flickr"].text == "34.6 ± 0.3 [33.3, 35.9]"
    assert full["verdict"].text == "other scale \N{EN DASH} not comparable"
    ensemble = row(table, system="Pretrained seq2seq", setting="ensemble 5")
    assert ensemble["ours_test_2016_flickr"].text == "35.7 [34.8, 36.6]"
    others = row(table, system="Backtranslation (Sennrich 2015)", setting="ensemble 12")
    assert (others["published_newstest2015"].text, "verdict" in others) == ("27.6", False)
    gain = row(table, system="gain of pretraining")
    assert (gain["published_newstest2014"].text, gain["ours_test_2016_flickr"].text) == ("+2.7", "+2.0 ± 0.4")
    assert gain["verdict"].text == "undecided", "two seeds on tests with intervals of 0.9"


def test_published_numbers_of_other_languages_are_said_to_be_and_judge_no_score(make_tree: Callable[..., Tree]) -> None:
    """At the paper's scale, too: a study of one's own may extend the paper's in another language."""
    tree = make_tree(scale="paper", tests=("newstest2014",), corpus="mine")
    for seed in (1, 2, 3):
        for system, score in (("full", 30.0), ("no_pretraining", 27.0), ("encoder_only", 29.0)):
            tree.add(system, "100pct", seed, score + seed)
    note = "Published numbers are of other languages (WMT14, en-de) than ours (mine, en-tr)."
    shown = tables.study_tables(tree.load())
    assert not [table.name for table in shown if note in table.notes]
    tree.more["languages"] = ["en", "tr"]
    results = tree.load()
    shown = tables.study_tables(results)
    beside = [table.name for table in shown if note in table.notes]
    assert beside == ["table_1", "table_2", "ablations", "fractions", "claims"]
    full = row(shown[0], system="Pretrained seq2seq", setting="single")
    assert full["verdict"].text == "other languages \N{EN DASH} not comparable"
    assert "difference_newstest2014" not in full
    assert note in summary.sentences(results)
    with styled():
        titles = [axes.get_title(loc="left") for axes in draw_fractions(results).axes]
    assert titles[:2] == ["Published (WMT14, en-de)", "Ours (mine, en-tr)"]


def test_a_table_says_what_stands_in_the_place_of_an_interval(tree: Tree) -> None:
    for system in ("full", "encoder_only"):
        tree.add(system, "20pct", 1, 30.0 if system == "full" else 29.0)
    shown = {table.name: table for table in tables.study_tables(tree.load())}
    assert row(shown["ablations"], system=LABELS["encoder_only"])["tested"].text == "-1.0 [one seed]"
    said = [
        name
        for name, table in shown.items()
        if "Where [one seed] stands in the place of an interval, none can be given." in table.notes
    ]
    assert said == ["ablations"]


def test_table_1_shows_the_plain_baseline_though_the_paper_has_none(tree: Tree) -> None:
    tree.add("full", "100pct", 1, 30.0)
    tree.add("no_pretraining_no_lm_objective", "100pct", 1, 28.0)
    plain = row(table_1(tree.load()), system=LABELS["no_pretraining_no_lm_objective"])
    assert (plain["ours_test_2016_flickr"].text, plain["verdict"].text) == ("27.2 [26.3, 28.1]", "-")


def test_table_1_at_the_papers_scale_gives_differences_and_verdicts(make_tree: Callable[..., Tree]) -> None:
    tree = make_tree(scale="paper", tests=("newstest2014", "newstest2015"))
    for seed, luck in ((1, -0.1), (2, 0.0), (3, 0.1)):
        tree.add("full", "100pct", seed, 25.0 + luck)  # 24.2 on both tests: right for 24.0, wrong for 27.0
    table = table_1(tree.load())
    full = row(table, system="Pretrained seq2seq", setting="single")
    assert [full[f"difference_newstest{year}"].text for year in (2014, 2015)] == ["+0.2", "-2.8"]
    assert full["verdict"].text == "not reproduced"
    assert row(table, system="No pretraining (with LM objective)")["verdict"].text == "not run"


def test_table_2_compares_the_systems_with_little_data(full_tree: Tree) -> None:
    table = table_2(full_tree.load())
    frozen = row(table, system="Pretrained (emb+softmax frozen)")
    assert (frozen["published_valid"].text, frozen["ours_valid"].text) == ("9.6", "12.5 ± 0.7 [10.2, 14.8]")
    assert row(table, system="gain of pretraining")["ours_valid"].text == "+7.0 ± 0.0"


def test_ablations_are_in_printed_order_then_those_of_the_study_alone(full_tree: Tree) -> None:
    for seed in (1, 2):
        full_tree.add("my_own_ablation", "20pct", seed, 20.0)
    table = ablation_table(full_tree.load())
    names = [one["system"].text for one in table.rows]
    assert names[:3] == ["Pretrained seq2seq", "Pretrain on parallel corpus", "No pretraining"]
    assert names[-2:] == ["No pretraining, no LM objective", "my_own_ablation"]
    decoder = row(table, system="Only pretrain decoder")
    # -2.4 by construction, and the seeds move apart by 0.2 and 0.4: -2.4 - 0.2 - 0.4 and -2.4 - 0.4 - 0.8.
    assert decoder["ours_delta"].numbers["mean"] == pytest.approx(-3.3)
    assert (decoder["published_delta"].text, decoder["verdict"].text) == ("-1.0", "undecided")
    # On tests -3.3, too, but with two seeds and intervals of 0.9 it could be none.
    assert decoder["tested"].numbers["mean"] == pytest.approx(-3.3)
    assert decoder["tested"].numbers["low"] < -3.3 < 0 < decoder["tested"].numbers["high"]
    assert decoder["p"].numbers[""] > 0.05
    (note,) = [note for note in table.notes if "only in the image" in note]
    assert re.search(
        r": -2\.1 \(.*parallel corpus\), -2\.0 \(Only pretrain embeddings\), -0\.3 \(.*Wikipedia\)+\.$", note
    )


def test_an_ablation_is_judged_on_tests(make_tree: Callable[..., Tree]) -> None:
    tree = fill(make_tree(half_width=0.2))
    decoder = row(ablation_table(tree.load()), system="Only pretrain decoder")
    assert decoder["verdict"].text == "direction only"
    for run in tree.load().of("decoder_only", "20pct"):
        entries = json.loads((run.folder / "scores.json").read_text())
        for entry in entries:
            if entry["split"] != "valid":
                entry["score"] += 7
        (run.folder / "scores.json").write_text(json.dumps(entries))
    decoder = row(ablation_table(tree.load()), system="Only pretrain decoder")
    assert (decoder["ours_delta"].text, decoder["verdict"].text) == ("-3.3 ± 0.4", "other direction")


def test_p_values_of_ablations_are_corrected_over_all_fractions_and_one_run_under_two_names_counts_once(
    make_tree: Callable[..., Tree],
) -> None:
    tree = make_tree(half_width=0.0)
    for fraction in ("5pct", "20pct", "40pct"):
        for seed, luck in ((1, 0.5), (2, -0.1), (3, -0.4)):
            tree.add("full", fraction, seed, 20.0)
            tree.add("encoder_only", fraction, seed, 20.0 + luck)
            tree.add("decoder_only", fraction, seed, 22.0 - 2 * luck)
    for seed, luck in ((1, 0.5), (2, -0.1), (3, -0.4)):
        tree.add("low_resource_baseline", "40pct", seed, 22.0 - 2 * luck)
    rows = [one for one in ablation_table(tree.load(published=False)).rows if "p" in one]
    assert len(rows) == 7, "two at each of three fractions, and one of them again"
    results = tree.load()
    alone = contrast(results, minus("decoder_only", "full", "20pct"), results.judged)
    assert alone is not None
    assert 0 < alone.p_zero() < 1 / 6
    for one in rows:
        if one["system"].text != LABELS["encoder_only"]:
            assert one["p"].numbers[""] == pytest.approx(6 * alone.p_zero())


def test_ensemble_members_are_no_ablations(full_tree: Tree) -> None:
    full_tree.add("full_dropout_30", "20pct", 1, 20.0)
    names = [one["system"].text for one in ablation_table(full_tree.load()).rows]
    assert LABELS["full_dropout_30"] not in names


def test_fractions_show_both_curves_and_the_gain(full_tree: Tree) -> None:
    table = fraction_table(full_tree.load())
    assert [one["fraction"].text for one in table.rows] == ["20 %", "40 %", "60 %", "80 %", "100 %"]
    first = table.rows[0]
    # Seeds: 26.4 - 21.4 and 26.8 - 20.9.
    assert first["ours_gain"].numbers["mean"] == pytest.approx(5.45)
    assert (first["published_gain"].text, first["verdict"].text) == ("+3.8", "direction only")


def test_learning_shows_speed_and_both_selections(full_tree: Tree) -> None:
    table = learning_table(full_tree.load(), [200, 5000])
    full = row(table, system="Pretrained seq2seq", fraction="20 %")
    none = row(table, system="No pretraining", fraction="20 %")
    assert full["after_200"].numbers["mean"] > none["after_200"].numbers["mean"]
    assert full["after_5000"].text == "-"
    change = full["valid_bleu"].numbers["mean"] - full["valid_perplexity"].numbers["mean"]
    assert change == pytest.approx(0.5)
    assert full["updates"].numbers["mean"] == 1750
    curves = [run.validations for run in full_tree.load().of("full", "20pct")]
    best = [sorted(one.perplexity for one in curve)[0] for curve in curves]
    assert full["perplexity"].numbers["mean"] == pytest.approx(sum(best) / 2)
    assert full["perplexity"].numbers["mean"] < none["perplexity"].numbers["mean"]


def test_metrics_beside_a_splits_own_are_shown_where_outputs_were_scored_by_them(
    tmp_path: Path, full_tree: Tree
) -> None:
    assert not [name for name in learning_table(full_tree.load(), [200]).columns if "chrf" in name]
    assert "chrF2" not in " ".join(summary.sentences(full_tree.load(published=False)))
    tree = Tree(tmp_path / "other", beside=("chrf2",))
    fill(tree)
    table = learning_table(tree.load(), [200])
    shown = [title for title in table.columns.values() if "chrF2" in title]
    assert shown == [f"{split}, chrF2" for split in ("valid", *tree.tests)]
    full = row(table, system="Pretrained seq2seq", fraction="20 %")
    above = full["valid_chrf2"].numbers["mean"] - full["valid_perplexity"].numbers["mean"]
    assert above == pytest.approx(30.0)
    assert "chrf2: `signature-of-chrf2`" in table.notes
    assert any(note.startswith("chrF2: of the outputs that verdicts are reached on") for note in table.notes)
    assert " chrF2), No pretraining" in " ".join(summary.sentences(tree.load(published=False)))


@pytest.mark.parametrize(
    ("ended", "settings", "reasons", "unit"),
    [
        ({"patience"}, {}, "early stopping on validation perplexity", "subwords"),
        ({"max_updates"}, {"model": {"kind": "pointer_generator"}}, "the number of updates in its settings", "words"),
        (
            {"max_updates", "patience"},
            {"transformer": {}},
            "early stopping on validation perplexity or the number of updates in its settings",
            "subwords",
        ),
    ],
)
def test_learning_says_what_ended_the_runs_and_what_perplexity_is_of(
    tree: Tree, ended: set[str], settings: dict[str, object], reasons: str, unit: str
) -> None:
    for seed, stopped_by in enumerate(sorted(ended), start=1):
        folder = tree.add("full", "100pct", seed, 30.0)
        (folder / "run.json").write_text(json.dumps({"settings": settings}))
        (folder / "summary.json").write_text(json.dumps({"stopped_by": stopped_by}))
    note = learning_table(tree.load(), [200]).notes[0]
    assert f"`updates`: when {reasons} ended the run; " in note
    assert note.endswith(f"the lowest on the way, of {unit}.")


def test_averaged_weights_have_a_column_of_their_own_beside_the_chosen_ones_and_count_nowhere_else(
    full_tree: Tree,
) -> None:
    tree = fill(Tree(full_tree.root / "averaged", average_last=7))
    table, without = (learning_table(one.load(), [200]) for one in (tree, full_tree))
    full = row(table, system="Pretrained seq2seq", fraction="20 %")
    assert (table.columns["valid_average"], table.columns["valid_bleu"]) == ("valid, averaged", "valid, by bleu")
    assert any("the mean of the weights of the last 7 validations" in note for note in table.notes)
    for split in ("valid", *tree.tests):
        change = full[f"{split}_average"].numbers["mean"] - full[f"{split}_bleu"].numbers["mean"]
        assert change == pytest.approx(0.5)
    assert [key for key in table.columns if key not in without.columns] == [
        f"{split}_average" for split in ("valid", *tree.tests)
    ]
    ours, theirs = (table_1(one.load()).cells for one in (tree, full_tree))
    assert ours.map(lambda cell: cell.text).equals(theirs.map(lambda cell: cell.text))


def test_where_validations_have_no_scores_nothing_is_said_of_choosing_by_them(full_tree: Tree) -> None:
    full_tree.more["scored_validations"] = False
    table = learning_table(full_tree.load(), [200])
    assert "valid_perplexity" in table.columns
    assert not {"valid_bleu", "after_200"} & table.columns.keys()
    assert table.notes[0].startswith("`updates`: when ")
    assert any(note.startswith("By perplexity: beam search with the checkpoint of best") for note in table.notes)


def test_a_mark_that_one_seed_did_not_reach_has_no_mean(full_tree: Tree) -> None:
    # Seed 1 stops after 1,700 updates, seed 2 after 1,800.
    table = learning_table(full_tree.load(), [1700, 1800])
    full = row(table, system="Pretrained seq2seq", fraction="20 %")
    assert full["after_1700"].numbers["seeds"] == 2
    assert full["after_1800"].text == "-"


def test_cost_reads_summaries_decoding_and_language_models(full_tree: Tree) -> None:
    write(full_tree.study_dir.parent / "lms/mine/monolingual_de/summary.json", {"steps": 700, "stopped_by": "patience"})
    full_tree.more["pretrained"] = ["mine/monolingual_de", "mine/not_there"]
    table = cost_table(full_tree.load())
    full = row(table, system="Pretrained seq2seq", fraction="20 %")
    assert full["cpu_seconds"].numbers[""] == pytest.approx(301.5)
    assert full["padding_share"].text == "5.0"
    assert full["decoding"].text == "12.5"
    assert row(table, system="LM monolingual_de")["steps"].text == "700"
    assert row(table, system="LM not_there")["stopped_by"].text == "not run"


def test_slowdowns_are_of_runs_with_the_same_pairs_and_seed(tmp_path: Path) -> None:
    told = {"task": "translation", "languages": ["en", "de"]}
    tree = Tree(tmp_path, study="edunov-translation", paper="edunov2019", more=told)
    for seed, seconds in ((1, 50.0), (2, 70.0)):
        tree.add("baseline", "160k", seed, 20.0)  # 0.2 s an update, 0.08 s a search
        folder = tree.add("src_elmo", "160k", seed, 22.0)
        validation = {"event": "validation", "step": 100, "cpu_seconds": seconds, "valid_perplexity": 9.0}
        write(folder / "metrics.jsonl", validation)
        write(folder / "hypotheses/perplexity/valid.json", {"sentences": 100, "searches": 2, "cpu_seconds": 20.0})
    tree.add("src_elmo", "320k", 1, 22.0)  # has no baseline beside it
    table = speed_table(tree.load())
    found = row(table, system="src-elmo")
    assert [found[key].text for key in ("published_training", "training", "published_search", "search", "runs")] == [
        "5.25", "3.00 ± 0.71", "1.16", "1.25 ± 0.00", "2",
    ]  # fmt: skip
    assert row(table, system="tgt-ft")["training"].text == "not run"


def test_a_baseline_alone_is_compared_where_it_was_run(tree: Tree) -> None:
    for system, score in (("full", 20.0), ("no_pretraining", 18.0)):
        tree.add(system, "160k", 1, score)
    results = tree.load()
    assert results.ablations_at == "160k"
    found = row(ablation_table(results), system="No pretraining", fraction="160k")
    assert (found["ours_delta"].text, found["ours_valid"].text) == ("-2.0", "18.0")


def test_a_table_of_speeds_that_the_paper_does_not_print_is_refused(tree: Tree) -> None:
    tree.add("full", "100pct", 1, 20.0)
    results = replace(tree.load(), paper=InPaper(speed="Table 9"))
    with pytest.raises(DataError, match=r"speed: ramachandran-translation has no number of Table 9; add rows"):
        speed_table(results)


def test_language_models_of_several_seeds_are_one_row(full_tree: Tree) -> None:
    full_tree.more["pretrained"] = [f"mine/monolingual_de/seed{seed}" for seed in (1, 2, 3)]
    for folder, steps in zip(full_tree.more["pretrained"], (100, 300), strict=False):
        write(full_tree.study_dir.parent / f"lms/{folder}/summary.json", {"steps": steps, "stopped_by": "patience"})
    lm = row(cost_table(full_tree.load()), system="LM monolingual_de")
    assert (lm["steps"].text, lm["seeds"].text, lm["stopped_by"].text) == ("200", "2", "patience")


def test_half_a_grid_is_reported(full_tree: Tree, tmp_path: Path) -> None:
    for run in full_tree.load().runs[::2]:
        for file in ("scores.json", "metrics.jsonl", "summary.json"):
            (run.folder / file).unlink()
    tables.main(arguments(full_tree, "--output-dir", str(tmp_path / "tables")))
    assert "runs have no results yet" in (tmp_path / "tables" / "ablations.md").read_text()


def test_every_number_of_ours_leads_to_a_file_that_exists(full_tree: Tree) -> None:
    all_tables = tables.study_tables(full_tree.load())
    traced = list(csv.DictReader(io.StringIO(provenance(all_tables))))
    assert all(Path(entry["file"]).exists() for entry in traced)
    seen = {(entry["table"], entry["column"]) for entry in traced}
    for table in all_tables:
        for key in table.columns:
            if any("mean" in one[key].numbers for one in table.rows if key in one):
                assert (table.name, key) in seen


def test_every_table_has_scale_seeds_signature_and_folders_under_it(full_tree: Tree) -> None:
    for table in tables.study_tables(full_tree.load()):
        notes = "\n".join(table.notes)
        assert "Scale: small. Seeds: 1, 2" in notes
        assert "runs/" in notes
        assert "signature-of-bleu" in notes or table.name == "cost"
        assert len({len(line) for line in csv.reader(io.StringIO(to_csv(table)))}) == 1


def test_the_summary_says_what_was_found_and_links_what_exists(
    make_tree: Callable[..., Tree], capsys: pytest.CaptureFixture[str]
) -> None:
    tree = fill(make_tree())
    tree.declare("decoder_only", "20pct", 3)
    tables.main(arguments(tree, "--output-dir", str(tree.study_dir / "tables")))
    summary.main(arguments(tree, "--output", str(tree.study_dir / "summary.md")))
    text = (tree.study_dir / "summary.md").read_text()
    assert "42 of 43 declared runs have scores. Not run: decoder_only/20pct/seed3." in text
    assert "pretraining gains +2.0 ± 0.4." in text
    assert "[Table 1: test BLEU with all labelled data](tables/table_1.md)" in text
    assert "figures/ablations.png" not in text, "no figure has been drawn"
    assert f"Tables:  {tree.study_dir / 'tables'}" in capsys.readouterr().out
