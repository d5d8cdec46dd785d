"""Streams and events."""

from gpunp._C import (
    Event,
    ExternalStream,
    Stream,
    get_current_stream,
    get_elapsed_time,
)

__all__ = ["Event", "ExternalStream", "Stream", "get_current_stream", "get_elapsed_time"]
