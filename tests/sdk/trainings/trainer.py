"""A Trainer of a tiny random GPT-2 on two processes: 8 steps, a NaN loss in the last one, an evaluation every 4."""

import math
import os
import sys

import torch
from transformers import GPT2Config, GPT2LMHeadModel, Trainer, TrainingArguments
from tuneplane.report import TunePlaneCallback


class Diverging(Trainer):
    def compute_loss(self, model, inputs, **more):
        loss = super().compute_loss(model, inputs, **more)
        return loss * math.nan if model.training and self.state.global_step == 7 else loss


torch.manual_seed(0)
tokens = [torch.arange(first, first + 8) % 32 for first in range(32)]
data = [{"input_ids": one, "labels": one} for one in tokens]
config = GPT2Config(n_layer=1, n_head=1, n_embd=8, n_positions=8, vocab_size=32, bos_token_id=1, eos_token_id=1)
arguments = TrainingArguments(
    output_dir=sys.argv[1],
    max_steps=8,
    per_device_train_batch_size=2,
    logging_steps=2,
    logging_nan_inf_filter=False,
    eval_strategy="steps",
    eval_steps=4,
    save_strategy="no",
    report_to="none",
    use_cpu=True,
    ddp_backend="gloo",
    hub_token="hf_" + "a" * 34,
    run_name="postgres://user:password@host/db",
    disable_tqdm=True,
)
trainer = Diverging(
    model=GPT2LMHeadModel(config),
    args=arguments,
    train_dataset=data,
    eval_dataset=data[:8],
    callbacks=[TunePlaneCallback()],
)
trainer.train()
trainer.save_state()
sys.stdout.write(f"rank {os.environ['RANK']} of {trainer.args.world_size} has ended\n")
