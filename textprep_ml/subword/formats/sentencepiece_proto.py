"""The messages of a sentencepiece model file, with the fields that say what a model does.

The wire format knows fields by their number only. Other fields of a file are kept as they are when it is read, and left
alone.
"""

from __future__ import annotations

from typing import Any

#: Message -> its fields: name, number, type (a scalar, or a message), whether it repeats, what it is when not there.
_FIELDS: dict[str, list[tuple[str, int, str, bool, str | None]]] = {
    "Piece": [
        ("piece", 1, "string", False, None),
        ("score", 2, "float", False, None),
        ("type", 3, "int32", False, "1"),
    ],
    "Trainer": [
        ("model_type", 3, "int32", False, "1"),
        ("vocab_size", 4, "int32", False, "8000"),
        ("character_coverage", 10, "float", False, "0.9995"),
        ("treat_whitespace_as_suffix", 24, "bool", False, "false"),
        ("control_symbols", 30, "string", True, None),
        ("user_defined_symbols", 31, "string", True, None),
        ("byte_fallback", 35, "bool", False, "false"),
        ("unk_id", 40, "int32", False, "0"),
        ("bos_id", 41, "int32", False, "1"),
        ("eos_id", 42, "int32", False, "2"),
        ("pad_id", 43, "int32", False, "-1"),
        ("unk_piece", 45, "string", False, "<unk>"),
        ("bos_piece", 46, "string", False, "<s>"),
        ("eos_piece", 47, "string", False, "</s>"),
        ("pad_piece", 48, "string", False, "<pad>"),
    ],
    "Normalizer": [
        ("name", 1, "string", False, None),
        ("precompiled_charsmap", 2, "bytes", False, None),
        ("add_dummy_prefix", 3, "bool", False, "true"),
        ("remove_extra_whitespaces", 4, "bool", False, "true"),
        ("escape_whitespaces", 5, "bool", False, "true"),
    ],
    "Model": [
        ("pieces", 1, "Piece", True, None),
        ("trainer_spec", 2, "Trainer", False, None),
        ("normalizer_spec", 3, "Normalizer", False, None),
        ("denormalizer_spec", 5, "Normalizer", False, None),
    ],
}
_PACKAGE = "textprep_ml.sentencepiece"


def make_model() -> Any:
    """Give an empty message of a whole model.

    Returns
    -------
    Message
        With ``pieces``, ``trainer_spec``, ``normalizer_spec`` and ``denormalizer_spec``.

    Raises
    ------
    ImportError
        If the protobuf package is not installed.
    """
    try:
        from google.protobuf import descriptor_pb2, descriptor_pool, message_factory
    except ImportError:
        raise ImportError(
            "Files of sentencepiece are read and written with the protobuf package: "
            "pip install 'textprep_ml[sentencepiece]'."
        ) from None
    field_type = descriptor_pb2.FieldDescriptorProto
    file = descriptor_pb2.FileDescriptorProto(name="model.proto", package=_PACKAGE, syntax="proto2")
    for message, fields in _FIELDS.items():
        described = file.message_type.add(name=message)
        for name, number, kind, repeats, default in fields:
            label = field_type.LABEL_REPEATED if repeats else field_type.LABEL_OPTIONAL
            field = described.field.add(name=name, number=number, label=label)
            if kind in _FIELDS:
                field.type, field.type_name = field_type.TYPE_MESSAGE, f".{_PACKAGE}.{kind}"
            else:
                field.type = getattr(field_type, f"TYPE_{kind.upper()}")
            if default is not None:
                field.default_value = default
    # A pool of our own: the same numbers may be described elsewhere in the process.
    pool = descriptor_pool.DescriptorPool()
    pool.Add(file)
    return message_factory.GetMessageClass(pool.FindMessageTypeByName(f"{_PACKAGE}.Model"))()


def parse(data: bytes) -> Any:
    """Read a file.

    Parameters
    ----------
    data : bytes
        Its content.

    Returns
    -------
    Message
        As from `make_model`.

    Raises
    ------
    ValueError
        If it is damaged or something else.
    """
    from google.protobuf.message import DecodeError

    model = make_model()
    try:
        model.ParseFromString(data)
    except (DecodeError, UnicodeDecodeError) as error:
        raise ValueError(f"damaged or no sentencepiece model: {error}") from None
    if not model.pieces or not model.HasField("trainer_spec"):
        raise ValueError("damaged or no sentencepiece model: it has no pieces or no trainer_spec")
    return model
