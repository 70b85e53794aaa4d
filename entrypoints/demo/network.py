"""The model: two layers, softmax, trained with Adam; written out in numpy."""

from __future__ import annotations

import numpy as np

from entrypoints.demo.digits import Floats, Labels


class Network:
    """64 pixels -> `hidden` rectified units -> 10 classes."""

    def __init__(self, hidden: int, seed: int) -> None:
        rng = np.random.default_rng(seed)
        self.weights: list[Floats] = [
            rng.normal(0, np.sqrt(2 / 64), (64, hidden)),
            np.zeros(hidden),
            rng.normal(0, np.sqrt(2 / hidden), (hidden, 10)),
            np.zeros(10),
        ]
        self._mean = [np.zeros_like(weight) for weight in self.weights]
        self._square = [np.zeros_like(weight) for weight in self.weights]
        self._updates = 0

    def probabilities(self, images: Floats) -> Floats:
        """One row of ten an image."""
        return self._forward(images)[1]

    def loss(self, images: Floats, labels: Labels) -> float:
        """Mean cross entropy, in nats."""
        chosen = self.probabilities(images)[np.arange(len(labels)), labels]
        return float(-np.log(np.maximum(chosen, 1e-12)).mean())

    def train(self, images: Floats, labels: Labels, rate: float) -> tuple[float, float, float]:
        """One update from one batch: (loss, accuracy, gradient norm) before it."""
        hidden, probabilities = self._forward(images)
        rows = np.arange(len(labels))
        loss = float(-np.log(np.maximum(probabilities[rows, labels], 1e-12)).mean())
        accuracy = float((probabilities.argmax(1) == labels).mean())
        error = probabilities.copy()
        error[rows, labels] -= 1
        error /= len(labels)
        back = (error @ self.weights[2].T) * (hidden > 0)
        gradients = [images.T @ back, back.sum(0), hidden.T @ error, error.sum(0)]
        self._adam(gradients, rate)
        return loss, accuracy, float(np.sqrt(sum(float((gradient**2).sum()) for gradient in gradients)))

    def _forward(self, images: Floats) -> tuple[Floats, Floats]:
        hidden = np.maximum(images @ self.weights[0] + self.weights[1], 0)
        scores = hidden @ self.weights[2] + self.weights[3]
        powers = np.exp(scores - scores.max(1, keepdims=True))
        return hidden, powers / powers.sum(1, keepdims=True)

    def _adam(self, gradients: list[Floats], rate: float) -> None:
        self._updates += 1
        for layer, gradient in enumerate(gradients):
            self._mean[layer] += 0.1 * (gradient - self._mean[layer])
            self._square[layer] += 0.001 * (gradient**2 - self._square[layer])
            mean = self._mean[layer] / (1 - 0.9**self._updates)
            square = self._square[layer] / (1 - 0.999**self._updates)
            self.weights[layer] -= rate * mean / (np.sqrt(square) + 1e-8)
