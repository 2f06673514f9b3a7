"""A tiny language model with random weights and a tokenizer learnt from what it will read."""

from collections.abc import Sequence
from pathlib import Path

import tokenizers
import torch
import transformers
from tokenizers import decoders, models, pre_tokenizers, trainers

TEMPLATE = (
    "{% for message in messages %}<|{{ message.role }}|>{{ message.content }}{% endfor %}"
    "{% if add_generation_prompt %}<|assistant|>{% endif %}"
)
SPECIAL = ["<|end|>", "<|pad|>", "<|system|>", "<|user|>", "<|assistant|>"]


def a_tiny_model(folder: Path, texts: Sequence[str], *, positions: int = 4096) -> Path:
    """Two layers, 64 wide, 1,024 tokens; written as any model on disk is."""
    raw = tokenizers.Tokenizer(models.BPE())
    raw.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    raw.decoder = decoders.ByteLevel()
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    trainer = trainers.BpeTrainer(
        vocab_size=1024, special_tokens=SPECIAL, initial_alphabet=alphabet, show_progress=False
    )
    raw.train_from_iterator(texts, trainer)
    tokenizer = transformers.PreTrainedTokenizerFast(  # type: ignore[no-untyped-call]  # it has no types
        tokenizer_object=raw, eos_token=SPECIAL[0], pad_token=SPECIAL[1], chat_template=TEMPLATE
    )
    tokenizer.save_pretrained(folder)
    torch.manual_seed(0)
    config = transformers.LlamaConfig(
        vocab_size=1024,
        hidden_size=64,
        intermediate_size=128,
        num_hidden_layers=2,
        num_attention_heads=2,
        num_key_value_heads=2,
        max_position_embeddings=positions,
        eos_token_id=0,
        pad_token_id=1,
        bos_token_id=None,
        initializer_range=0.2,  # wide, so that what is frozen does not keep every answer alike
        tie_word_embeddings=False,
    )
    transformers.LlamaForCausalLM(config).save_pretrained(folder)
    return folder
