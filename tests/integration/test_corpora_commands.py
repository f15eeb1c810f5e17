"""The commands from a list of corpora to token stores, one after the other, as the workflow calls them."""

import gzip
import hashlib
import json
import random
from pathlib import Path

import numpy as np
import pytest
from shared import write_lines

from seqpre.corpora import download, encode, extract, learn_bpe
from seqpre.corpora import filter as filtering
from seqpre.corpora.langid import identifier_version
from seqpre.corpora.subwords import EOS, Subwords
from seqpre.corpora.token_store import TokenStore
from seqpre.study.declarations import FilterSettings

NOUNS = [("house", "Haus"), ("book", "Buch"), ("child", "Kind"), ("picture", "Bild"), ("window", "Fenster")]
VERBS = [("sees", "sieht"), ("finds", "findet"), ("knows", "kennt"), ("buys", "kauft"), ("needs", "braucht")]
NAMES = ["Anna", "Peter", "Maria", "Thomas", "Julia", "Martin"]


def pairs(count: int, seed: int) -> list[tuple[str, str]]:
    generator = random.Random(seed)
    made = []
    for _ in range(count):
        (noun, nomen), (verb, tunwort), name = map(generator.choice, (NOUNS, VERBS, NAMES))
        age = generator.randint(2, 99)
        made.append(
            (
                f"Every day {name} {verb} the old {noun} number {age} with great pleasure.",
                f"Jeden Tag {tunwort} {name} das alte {nomen} Nummer {age} mit großer Freude.",
            )
        )
    return made


def run(main, **options: object) -> None:  # type: ignore[no-untyped-def]
    arguments = []
    for name, value in options.items():
        values = value if isinstance(value, list) else [value]
        arguments += [f"--{name.replace('_', '-')}", *map(str, values)]
    main(arguments)


@pytest.fixture
def workplace(tmp_path: Path) -> Path:
    """A list of corpora whose files are on a mirror: train with noise, valid, gzipped."""
    mirror = tmp_path / "mirror" / "example.org" / "toy"
    mirror.mkdir(parents=True)
    train = pairs(400, seed=1)
    noise = [("", "leer"), (train[0]), (train[1][1], train[1][0])]
    rows = ["name split language reader member url sha256 bytes licence note".replace(" ", "\t")]
    for split, text in (("train", train + noise), ("valid", pairs(20, seed=2))):
        for side, language in enumerate(("en", "de")):
            path = mirror / f"{split}.{language}.gz"
            path.write_bytes(gzip.compress("".join(f"{pair[side]}\n" for pair in text).encode()))
            digest, size = hashlib.sha256(path.read_bytes()).hexdigest(), path.stat().st_size
            url = f"https://example.org/toy/{path.name}"
            rows.append("\t".join(["toy", split, language, "lines", "", url, digest, str(size), "MIT", ""]))
    (tmp_path / "corpora.tsv").write_text("\n".join(rows) + "\n")
    return tmp_path


def test_from_the_list_to_token_stores(workplace: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    catalog, downloads, raw = workplace / "corpora.tsv", workplace / "downloads", workplace / "toy" / "raw"
    monkeypatch.setenv("SEQPRE_MIRROR", str(workplace / "mirror"))
    for split in ("train", "valid"):
        for language in ("en", "de"):
            url = f"https://example.org/toy/{split}.{language}.gz"
            run(download.main, corpora=catalog, url=url, downloads=downloads)
        run(
            extract.main, corpora=catalog, name="toy", split=split, languages=["en", "de"], downloads=downloads,
            output_dir=raw,
        )  # fmt: skip
    clean = [workplace / "toy" / f"train.{language}" for language in ("en", "de")]
    run(
        filtering.main, input=[raw / "train.en", raw / "train.de"], output=clean, languages=["en", "de"],
        exclude=[raw / "valid.en", raw / "valid.de"], stats=workplace / "toy" / "train.stats.json",
        dropped=workplace / "toy" / "train.dropped.tsv.gz", workers=2,
    )  # fmt: skip
    model = workplace / "subwords" / "bpe.model"
    run(learn_bpe.main, input=clean, vocab_size=120, seed=1, output=model)
    for path in [*clean, raw / "valid.en"]:
        run(encode.main, input=path, subwords=model, output=workplace / "tokens" / path.name, workers=2)

    stats = json.loads((workplace / "toy" / "train.stats.json").read_text())
    held_out = {line for pair in pairs(20, seed=2) for line in pair}
    expected = {pair for pair in pairs(400, seed=1) if not held_out.intersection(pair)}
    kept = set(zip(*(path.read_text(encoding="utf-8").splitlines() for path in clean), strict=True))
    assert kept == expected
    assert stats["kept"] == len(expected)
    assert stats["kept"] + stats["dropped"] == stats["lines"] == 403
    assert stats["reasons"]["not_de"]["count"] == stats["reasons"]["empty"]["count"] == 1
    with gzip.open(workplace / "toy" / "train.dropped.tsv.gz", "rt", encoding="utf-8") as file:
        assert len(file.readlines()) == 1 + stats["dropped"], "a header, then every line"
    assert stats["rules"]["identifier"] == FilterSettings().identifier == "fasttext+py3langid"
    assert stats["rules"]["identifier_version"] == identifier_version("fasttext+py3langid")

    subwords = Subwords(model)
    assert len(model.with_suffix(".vocab").read_text(encoding="utf-8").splitlines()) == subwords.size == 120
    for path in [*clean, raw / "valid.en"]:
        store = TokenStore(workplace / "tokens" / path.name)
        lines = path.read_text(encoding="utf-8").splitlines()
        assert [subwords.decode(store[index].tolist()) for index in range(len(store))] == lines
        assert all(store[index][-1] == EOS for index in range(len(store)))
        assert store.fingerprint == subwords.fingerprint


def test_a_store_depends_neither_on_workers_nor_on_chunks_and_drops_no_line(
    workplace: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    lines = [pair[0] for pair in pairs(300, seed=3)] + ["", "  \u200b ", "Ωμέγα"]
    text = write_lines(workplace / "text", lines)
    model = workplace / "bpe.model"
    run(learn_bpe.main, input=text, vocab_size=100, output=model)
    monkeypatch.setattr(encode, "CHUNK", 13)
    run(encode.main, input=text, subwords=model, output=workplace / "one", workers=1)
    run(encode.main, input=text, subwords=model, output=workplace / "two", workers=2)
    one, two = TokenStore(workplace / "one"), TokenStore(workplace / "two")
    assert len(one) == len(lines)
    assert one[300].tolist() == one[301].tolist() == [EOS]
    assert np.array_equal(one.tokens, two.tokens)
    assert np.array_equal(one.offsets_N1, two.offsets_N1)


@pytest.mark.parametrize("module", [download, extract, filtering, learn_bpe, encode])
def test_every_command_explains_itself(module, capsys: pytest.CaptureFixture[str]) -> None:  # type: ignore[no-untyped-def]
    with pytest.raises(SystemExit) as caught:
        module.main(["--help"])
    assert caught.value.code == 0
    assert module.__doc__.splitlines()[0] in capsys.readouterr().out


def test_a_users_mistake_ends_in_one_message_and_status_2(workplace: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text = workplace / "text"
    text.write_text("Das ist ein deutscher Satz über das Wetter.\n")
    with pytest.raises(SystemExit) as caught:
        run(
            filtering.main, input=text, output=workplace / "out", languages="en", stats=workplace / "stats.json"
        )  # fmt: skip
    assert caught.value.code == 2
    assert "none of 1 lines is left (not_en 1)" in capsys.readouterr().err
    assert not (workplace / "out").exists()
    assert not (workplace / "stats.json").exists()
    with pytest.raises(SystemExit):
        run(filtering.main, input=text, output=workplace / "out", languages=["en", "de"], stats=workplace / "s.json")
    assert "need equally many values, got 1, 1 and 2" in capsys.readouterr().err
