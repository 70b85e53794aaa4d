"""TRL's GRPO on a tiny random GPT-2: 2 steps of 4 completions, then an evaluation of 2 prompts, 4 completions each."""

import sys

import torch
from datasets import Dataset
from tokenizers import Tokenizer
from tokenizers.models import WordLevel
from tokenizers.pre_tokenizers import WhitespaceSplit
from transformers import GPT2Config, GPT2LMHeadModel, PreTrainedTokenizerFast
from trl import GRPOConfig, GRPOTrainer
from tuneplane.integrations.trl_completions import TrlCompletionsCallback
from tuneplane.report import TunePlaneCallback


def length(completions, **more):
    del more
    return [float(len(text.split())) for text in completions]


def every_other(completions, **more):
    del more
    return [None if at % 2 else -1.0 for at in range(len(completions))]


torch.manual_seed(0)
words = ["<pad>", "<eos>", "<unk>", *(f"w{number}" for number in range(29))]
made = Tokenizer(WordLevel({word: number for number, word in enumerate(words)}, unk_token="<unk>"))
made.pre_tokenizer = WhitespaceSplit()
tokenizer = PreTrainedTokenizerFast(tokenizer_object=made, pad_token="<pad>", eos_token="<eos>", unk_token="<unk>")
config = GPT2Config(n_layer=1, n_head=1, n_embd=8, n_positions=32, vocab_size=32, bos_token_id=1, eos_token_id=1)
prompts = Dataset.from_dict({"prompt": [f"w{number} w{number + 1}" for number in range(8)]})
arguments = GRPOConfig(
    output_dir=sys.argv[1],
    max_steps=2,
    per_device_train_batch_size=4,
    per_device_eval_batch_size=4,
    num_generations=4,
    max_completion_length=6,
    reward_weights=[1.0, 0.5],
    logging_steps=1,
    log_completions=True,
    eval_strategy="steps",
    eval_steps=2,
    save_strategy="no",
    report_to="none",
    use_cpu=True,
    bf16=False,
    disable_tqdm=True,
)
trainer = GRPOTrainer(
    model=GPT2LMHeadModel(config),
    processing_class=tokenizer,
    reward_funcs=[length, every_other],
    args=arguments,
    train_dataset=prompts,
    eval_dataset=prompts.select(range(2)),
    callbacks=[TunePlaneCallback(), TrlCompletionsCallback()],
)
trainer.train()
