"""The type of what belongs to libraries that are not imported here: tensors, bindings, trainers."""

from typing import Any

Foreign = Any
