"""Whether programs can call NCCL: no. There are no collective operations yet."""

__all__ = ["available"]

available = False
