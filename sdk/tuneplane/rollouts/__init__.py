"""Training rollouts: a few of a step's samples, chosen, bounded, and sent in the background as trajectories."""
