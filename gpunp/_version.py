"""The version of gpunp; the build and the kernel cache read it here."""

__version__ = "0.1.0"
