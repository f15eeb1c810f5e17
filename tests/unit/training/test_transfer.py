"""Which tensors each ablation loads, leaves fresh and freezes: the table of the grid, tensor by tensor."""

from dataclasses import asdict, replace
from pathlib import Path

import pytest
import torch

from seqpre.common.errors import ConfigError
from seqpre.models.augmented import AugmentedTransformer
from seqpre.models.lstm import LSTMLanguageModel, Seq2Seq
from seqpre.models.pointer import PointerGenerator
from seqpre.models.two_tower import ClozeLM
from seqpre.study.load import load_study
from seqpre.study.models.augmented import AugmentedTransformerSettings, RepresentationSettings
from seqpre.study.models.lstm import FirstLayer, LSTMSettings
from seqpre.study.models.pointer import PointerGeneratorSettings
from seqpre.study.models.two_tower import TransformerLMShape
from seqpre.study.settings import InitSettings
from seqpre.training.checkpoint import load_weights, save_weights
from seqpre.training.transfer import initialise, report

STUDY = load_study(Path(__file__).parents[3] / "workflow/studies/ramachandran-translation.yaml", "demo")
SHAPE = FirstLayer(4, 8, 6)
BOTH = {"encoder.embedding", "encoder.lstm", "encoder.softmax", "decoder.embedding", "decoder.lstm", "decoder.softmax"}

LOADED = {
    "full": BOTH,
    "no_lm_objective": BOTH,
    "parallel_lm": BOTH,
    "other_domain_lm": BOTH,
    "low_resource_frozen": BOTH,
    "no_pretraining": set(),
    "no_pretraining_no_lm_objective": set(),
    "low_resource_baseline": set(),
    "encoder_only": {part for part in BOTH if part.startswith("encoder")},
    "decoder_only": {part for part in BOTH if part.startswith("decoder")},
    "embeddings_only": {"encoder.embedding", "decoder.embedding"},
    "embeddings_and_lstm": {part for part in BOTH if not part.endswith("softmax")},
}


@pytest.fixture
def lms(tmp_path: Path) -> dict[str, Path]:
    """One file an LM, all tensors filled with a number of its own."""
    paths = {}
    for number, name in enumerate(STUDY.lms, start=1):
        lm = LSTMLanguageModel(11, SHAPE)
        for parameter in lm.parameters():
            torch.nn.init.constant_(parameter, number)
        paths[name] = tmp_path / f"{name}.safetensors"
        save_weights(paths[name], lm, {"kind": "lm"})
    return paths


@pytest.mark.parametrize("system", LOADED)
def test_every_ablation_loads_what_its_name_says(system: str, lms: dict[str, Path]) -> None:
    settings = STUDY.systems[system]
    model = Seq2Seq(11, 11, LSTMSettings(SHAPE, upper_layers=1, upper_dim=5))
    fresh = {name: tensor.clone() for name, tensor in model.state_dict().items()}
    accounts = {a.tensor: a for a in initialise(model, settings.init, lms, settings.objectives.source_lm_weight > 0)}
    assert set(accounts) == {name for name, _ in model.named_parameters()}
    for name, tensor in model.state_dict().items():
        side, kind, part = [*name.split("."), "", ""][:3]
        lm = settings.init.encoder if side == "encoder" else settings.init.decoder
        if kind == "lm" and f"{side}.{part}" in LOADED[system]:
            assert torch.equal(tensor, torch.full_like(tensor, 1 + list(STUDY.lms).index(lm))), name
            assert accounts[name].origin == lm
            assert accounts[name].status.partition(",")[0] in {"loaded", "unused"}
        else:
            assert torch.equal(tensor, fresh[name]), name
            assert accounts[name].origin == ""
            assert accounts[name].status in {"fresh", "unused"}


@pytest.mark.parametrize(("side", "other"), [("encoder", "decoder"), ("decoder", "encoder")])
def test_a_side_may_take_other_parts_than_the_other(lms: dict[str, Path], side: str, other: str) -> None:
    init = InitSettings("monolingual_en", "monolingual_de", **{f"{side}_parts": ("embedding",)})
    model = Seq2Seq(11, 11, LSTMSettings(SHAPE, upper_layers=1, upper_dim=5))
    loaded = {".".join(a.tensor.split(".")[:3]) for a in initialise(model, init, lms, True) if a.status == "loaded"}
    assert loaded == {f"{side}.lm.embedding", f"{other}.lm.embedding", f"{other}.lm.lstm", f"{other}.lm.softmax"}


def test_frozen_parts_are_the_embeddings_and_softmaxes(lms: dict[str, Path]) -> None:
    model = Seq2Seq(11, 11, LSTMSettings(SHAPE, upper_layers=1, upper_dim=5))
    accounts = initialise(model, STUDY.systems["low_resource_frozen"].init, lms, source_lm_objective=True)
    frozen = {name for name, parameter in model.named_parameters() if not parameter.requires_grad}
    assert frozen == {
        f"{side}.lm.{tensor}"
        for side in ("encoder", "decoder")
        for tensor in ("embedding.weight", "softmax.weight", "softmax.bias")
    }
    assert {a.tensor for a in accounts if a.status == "loaded, frozen"} == frozen
    assert not any(a.status == "fresh, frozen" for a in accounts)


def test_a_side_that_starts_at_random_is_not_frozen(lms: dict[str, Path]) -> None:
    model = Seq2Seq(11, 11, LSTMSettings(SHAPE, upper_layers=1, upper_dim=5))
    initialise(model, InitSettings("random", "monolingual_de", freeze=("embedding",)), lms, True)
    frozen = {name for name, parameter in model.named_parameters() if not parameter.requires_grad}
    assert frozen == {"decoder.lm.embedding.weight"}


def test_the_encoder_s_softmax_is_unused_without_an_lm_objective(lms: dict[str, Path]) -> None:
    model = Seq2Seq(11, 11, LSTMSettings(SHAPE, upper_layers=1, upper_dim=5))
    accounts = initialise(model, STUDY.systems["no_lm_objective"].init, lms, source_lm_objective=False)
    assert {a.tensor for a in accounts if a.status == "unused"} == {
        "encoder.lm.softmax.weight",
        "encoder.lm.softmax.bias",
    }
    trained = {name for name, parameter in model.named_parameters() if parameter.requires_grad}
    assert trained == {a.tensor for a in accounts if a.status != "unused"}
    text = report(accounts)
    assert text.count("\n| ") == len(accounts) + 1
    assert f"unused {11 * 6 + 11:,}" in text


def test_a_file_that_is_no_lm_of_this_shape_is_refused(lms: dict[str, Path], tmp_path: Path) -> None:
    model = Seq2Seq(11, 11, LSTMSettings(SHAPE, upper_layers=1, upper_dim=5))
    save_weights(tmp_path / "other.safetensors", torch.nn.Linear(2, 3), {"kind": "lm"})
    other = dict.fromkeys(lms, tmp_path / "other.safetensors")
    with pytest.raises(ConfigError, match=r"other\.safetensors: has no tensor embedding\.weight"):
        initialise(model, STUDY.systems["full"].init, other, source_lm_objective=True)


def test_an_lm_of_another_shape_is_refused_with_both_shapes(lms: dict[str, Path]) -> None:
    model = Seq2Seq(12, 12, LSTMSettings(SHAPE, upper_layers=1, upper_dim=5))
    with pytest.raises(ConfigError, match=r"embedding\.weight is 11x4 there and 12x4 in the model"):
        initialise(model, STUDY.systems["full"].init, lms, source_lm_objective=True)


POINTER = PointerGeneratorSettings(
    dim=8, ff_dim=12, heads=2, encoder_layers=1, decoder_layers=2, dropout=0.0, norm="pre"
)


def pretrained(folder: Path, settings: PointerGeneratorSettings = POINTER) -> dict[str, Path]:
    """Return a whole model, all of its tensors filled with 7."""
    torch.manual_seed(2)
    model = PointerGenerator(20, 20, settings)
    for parameter in model.parameters():
        torch.nn.init.constant_(parameter, 7)
    save_weights(folder / "denoiser.safetensors", model, {"kind": "seq2seq", "model": asdict(settings)})
    return {"denoiser": folder / "denoiser.safetensors"}


@pytest.mark.parametrize(
    ("encoder", "decoder"), [("denoiser", "denoiser"), ("denoiser", "random"), ("random", "denoiser")]
)
def test_a_side_of_a_whole_model_starts_with_all_of_its_tensors(encoder: str, decoder: str, tmp_path: Path) -> None:
    model = PointerGenerator(20, 20, POINTER)
    accounts = initialise(model, InitSettings(encoder, decoder), pretrained(tmp_path), source_lm_objective=False)
    loaded = {name for name, tensor in model.named_parameters() if bool((tensor == 7).all())}
    sides = {
        "encoder": {name for name, _ in model.named_parameters() if name.startswith(("encoder", "projections.source"))}
    }
    sides["decoder"] = {name for name, _ in model.named_parameters()} - sides["encoder"] - {"softmax"}
    assert {"copy.gate.weight", "projections.output.weight", "decoder_norm.bias"} <= sides["decoder"]
    expected = {"softmax"}.union(
        *(sides[side] for side in sides if {"encoder": encoder, "decoder": decoder}[side] != "random")
    )
    assert loaded == expected
    assert {a.tensor for a in accounts if a.origin == "denoiser" and a.status == "loaded"} == expected
    assert {a.status for a in accounts if a.tensor not in expected} <= {"fresh"}


def test_untied_embeddings_belong_to_their_sides(tmp_path: Path) -> None:
    settings = replace(POINTER, tied="none")
    model = PointerGenerator(20, 20, settings)
    initialise(model, InitSettings(encoder="denoiser"), pretrained(tmp_path, settings), source_lm_objective=False)
    loaded = {name for name, tensor in model.named_parameters() if bool((tensor == 7).all())}
    assert loaded & {"embeddings.source", "embeddings.target", "softmax"} == {"embeddings.source"}


def test_a_model_of_another_kind_or_shape_is_refused(tmp_path: Path, lms: dict[str, Path]) -> None:
    with pytest.raises(ConfigError, match="holds a lm; this model's family starts from a whole model"):
        initialise(PointerGenerator(20, 20, POINTER), InitSettings(encoder="monolingual_en"), lms, False)
    with pytest.raises(ConfigError, match="softmax is 20x8 there and 21x8 in the model; both need the same vocabulary"):
        initialise(PointerGenerator(21, 21, POINTER), InitSettings(decoder="denoiser"), pretrained(tmp_path), False)
    model = Seq2Seq(11, 11, LSTMSettings(SHAPE, upper_layers=1, upper_dim=5))
    with pytest.raises(ConfigError, match="holds a seq2seq; this model's family starts from a language model"):
        initialise(model, InitSettings(encoder="denoiser"), pretrained(tmp_path), False)


@pytest.mark.parametrize(
    ("name", "value", "side"), [("heads", 4, "encoder"), ("norm", "post", "decoder"), ("decoder_layers", 1, "decoder")]
)
def test_a_whole_model_whose_tensors_would_fit_another_shape_is_refused(
    name: str, value: object, side: str, tmp_path: Path
) -> None:
    weights, init = pretrained(tmp_path), replace(InitSettings(), **{side: "denoiser"})
    model = PointerGenerator(20, 20, replace(POINTER, **{name: value}))  # type: ignore[arg-type]
    wanted = f"{name} is {getattr(POINTER, name)!r} there and {value!r} in the model; both need the same vocabulary and"
    with pytest.raises(ConfigError, match=wanted):
        initialise(model, init, weights, False)


def test_a_side_may_start_from_a_model_whose_other_side_has_fewer_layers(tmp_path: Path) -> None:
    model, weights = PointerGenerator(20, 20, replace(POINTER, decoder_layers=1)), pretrained(tmp_path)
    initialise(model, InitSettings(encoder="denoiser"), weights, False)
    theirs, _ = load_weights(weights["denoiser"])
    ours = {name: tensor for name, tensor in model.state_dict().items() if name.startswith("encoder.")}
    assert ours
    assert all(torch.equal(tensor, theirs[name]) for name, tensor in ours.items())


@pytest.mark.parametrize(("name", "value"), [("heads", 4), ("layers", 1)])
def test_a_transformer_lm_whose_tensors_would_fit_another_shape_is_refused(
    name: str, value: int, tmp_path: Path
) -> None:
    shape, path = TransformerLMShape(8, 12, 2, 2), tmp_path / "cloze.safetensors"
    save_weights(path, ClozeLM(20, shape), {"kind": "cloze_lm", "shape": asdict(shape)})
    representations = RepresentationSettings("elmo", lm=replace(shape, **{name: value}))  # type: ignore[arg-type]
    settings = AugmentedTransformerSettings(8, 12, 2, tied="none", representations=representations)
    model = AugmentedTransformer(20, 20, settings)
    wanted = f"{name} is 2 there and {value} in the model; both need the same vocabulary and model.representations.lm"
    with pytest.raises(ConfigError, match=wanted):
        initialise(model, InitSettings(encoder="cloze"), {"cloze": path}, False)
