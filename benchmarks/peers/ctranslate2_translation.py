"""Translate by CTranslate2's beam search in float32, every hypothesis of the length wanted, with our weights.

    .peers/ctranslate2/bin/python peers/ctranslate2_translation.py FOLDER TIMES_ALL_BATCHES_A_WINDOW BEAM

FOLDER holds what transformer_beam_search.py wrote: transformer.safetensors, and batches.json, the source ids with EOS
and the output length of each batch.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import ctranslate2
import numpy as np
from ctranslate2.specs import TransformerSpec
from numpy.typing import NDArray
from safetensors import safe_open
from worker import Answers

SPECIAL = "<pad>", "<unk>", "<s>", "</s>"


def converted(weights: dict[str, NDArray[np.float32]], heads: int, folder: Path) -> None:
    """Write a model of CTranslate2's: pre-norm, one matrix for all embeddings and the softmax."""
    layers = [
        1 + max(int(name.split(".")[1]) for name in weights if name.startswith(f"{side}."))
        for side in ("encoder", "decoder")
    ]
    spec = TransformerSpec.from_config((layers[0], layers[1]), heads, pre_norm=True)

    def fill(part: Any, name: str, norm: bool = False) -> None:
        matrix, bias = weights[f"{name}.weight"], weights[f"{name}.bias"]
        if norm:
            part.gamma, part.beta = matrix, bias
        else:
            part.weight, part.bias = matrix, bias

    for side, module in (("encoder", spec.encoder), ("decoder", spec.decoder)):
        for embeddings in module.embeddings if side == "encoder" else [module.embeddings]:
            embeddings.weight = weights["softmax"]
        module.position_encodings.encodings = weights["positions"]
        fill(module.layer_norm, f"{side}_norm", norm=True)
        for number, layer in enumerate(module.layer):
            ours = f"{side}.{number}"
            fill(layer.self_attention.linear[0], f"{ours}.attention.inputs")
            fill(layer.self_attention.linear[1], f"{ours}.attention.output")
            fill(layer.self_attention.layer_norm, f"{ours}.around_attention.norm", norm=True)
            fill(layer.ffn.linear_0, f"{ours}.feed_forward.inner")
            fill(layer.ffn.linear_1, f"{ours}.feed_forward.outer")
            fill(layer.ffn.layer_norm, f"{ours}.around_feed_forward.norm", norm=True)
            if side == "decoder":
                for place, name in enumerate(("query", "memory", "output")):
                    fill(layer.attention.linear[place], f"{ours}.cross_attention.{name}")
                fill(layer.attention.layer_norm, f"{ours}.around_cross_attention.norm", norm=True)
    spec.decoder.projection.weight = weights["softmax"]
    words = [*SPECIAL, *(f"w{i}" for i in range(len(SPECIAL), len(weights["softmax"])))]
    spec.register_source_vocabulary(words)
    spec.register_target_vocabulary(words)
    spec.config.add_source_eos = True
    spec.config.decoder_start_token = "</s>"
    spec.validate()
    folder.mkdir(exist_ok=True)
    spec.save(str(folder))


def main() -> None:
    folder, (times, beam) = Path(sys.argv[1]), map(int, sys.argv[2:])
    with safe_open(folder / "transformer.safetensors", "np") as file:
        weights = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118
        converted(weights, int(file.metadata()["heads"]), folder / "ctranslate2")
    translator = ctranslate2.Translator(
        str(folder / "ctranslate2"), device="cpu", compute_type="float32", inter_threads=1, intra_threads=1
    )
    batches = [
        ([[f"w{i}" for i in ids[:-1]] for ids in batch["sources"]], batch["length"])
        for batch in json.loads((folder / "batches.json").read_text())
    ]

    def window() -> int:
        for sources, length in batches * times:
            found = translator.translate_batch(
                sources,
                beam_size=beam,
                num_hypotheses=beam,
                min_decoding_length=length,
                max_decoding_length=length,
                return_scores=True,
            )
            assert all(len(ids) == length for result in found for ids in result.hypotheses)
        return times * sum(len(sources) for sources, _ in batches)

    answers = Answers()
    answers.ready(tool="ctranslate2", parameters=sum(w.size for n, w in weights.items() if n != "positions"))
    answers.serve(window)


if __name__ == "__main__":
    main()
