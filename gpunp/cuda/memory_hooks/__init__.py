"""Memory hooks ready to use."""

from .debug_print import DebugPrintHook
from .line_profile import LineProfileHook

__all__ = ["DebugPrintHook", "LineProfileHook"]
