"""The data: 1,797 images of handwritten digits (see data/SOURCE.md), split the same way each time."""

from __future__ import annotations

import gzip
import hashlib
from importlib import resources

import msgspec
import numpy as np
from numpy.typing import NDArray

HELD_OUT = 360
_SPLIT_SEED = 42

Floats = NDArray[np.float64]
Labels = NDArray[np.int64]


class Digits(msgspec.Struct, frozen=True):
    """Images as rows of 64 pixels from 0 to 1, with the digit each shows."""

    train_images: Floats
    train_labels: Labels
    heldout_images: Floats
    heldout_labels: Labels
    digest: str
    """SHA-256 of the data file, hex."""


def load() -> Digits:
    """The data set, held-out examples chosen by a fixed seed."""
    packed = resources.files("entrypoints.demo").joinpath("data/digits.csv.gz").read_bytes()
    table = np.loadtxt(gzip.decompress(packed).decode().splitlines(), delimiter=",")
    order = np.random.default_rng(_SPLIT_SEED).permutation(len(table))
    images, labels = table[order, :64] / 16.0, table[order, 64].astype(np.int64)
    return Digits(
        train_images=images[HELD_OUT:],
        train_labels=labels[HELD_OUT:],
        heldout_images=images[:HELD_OUT],
        heldout_labels=labels[:HELD_OUT],
        digest=hashlib.sha256(packed).hexdigest(),
    )


def picture(image: Floats) -> str:
    """The image as eight lines of text."""
    shades = " .:-=+*#%"
    rows = (image.reshape(8, 8) * (len(shades) - 1)).round().astype(int)
    return "\n".join("".join(shades[level] for level in row) for row in rows)
