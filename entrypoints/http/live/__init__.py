"""The live stream of a run: server-sent events, resumed exactly by cursor."""
