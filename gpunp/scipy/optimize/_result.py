"""Results with attributes."""

from typing import Any

__all__ = ["OptimizeResult"]


class OptimizeResult(dict):
    """Result of an optimization: a dict whose items are attributes too.

    Parameters
    ----------
    *args, **kwargs : object
        Items of the result, as `dict` takes them.

    Examples
    --------
    >>> from gpunp.scipy.optimize import OptimizeResult
    >>> OptimizeResult(success=True, nit=3)
    success: True
        nit: 3
    """

    def __getattr__(self, name: str) -> Any:
        try:
            return self[name]
        except KeyError as error:
            raise AttributeError(name) from error

    __setattr__ = dict.__setitem__  # type: ignore[assignment]
    __delattr__ = dict.__delitem__  # type: ignore[assignment]

    def __repr__(self) -> str:
        width = max(map(len, map(str, self)), default=0)
        indent = "\n" + " " * (width + 2)
        return "\n".join(
            f"{key!s:>{width}}: {str(value) if isinstance(value, str) else repr(value)}".replace(
                "\n", indent
            )
            for key, value in self.items()
        )

    def __dir__(self) -> list[str]:
        return [*super().__dir__(), *map(str, self)]
