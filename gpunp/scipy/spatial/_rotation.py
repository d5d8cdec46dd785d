"""SciPy's `Rotation` under a class that draws rotations from generators of the device as well."""

from typing import Any

from ...random import Generator, RandomState

__all__ = ["rotation_class"]

_MODULE = "gpunp.scipy.spatial.transform"  # where a pickle finds the class


class _RotationType(type):
    """Type of a class whose instances are those of SciPy's, its base."""

    def __call__(cls, *args: Any, **kwargs: Any) -> Any:
        return type.__call__(_instances(cls), *args, **kwargs)

    def __instancecheck__(cls, value: Any) -> bool:
        return type.__instancecheck__(_instances(cls), value)

    def __subclasscheck__(cls, other: type) -> bool:
        return type.__subclasscheck__(_instances(cls), other)


def _instances(cls: Any) -> type:
    """The class of the instances: SciPy's, or the one that a program derived from ours."""
    return cls.__base__ if cls.__module__ == _MODULE else cls


def rotation_class(theirs: Any) -> Any:
    """Return SciPy's class with a `random` that takes generators of gpunp.

    Parameters
    ----------
    theirs : type
        SciPy's `Rotation`. What the new class makes are its instances.

    Returns
    -------
    type
        Class of the same name.
    """

    def random(
        num: int | None = None,
        rng: Any = None,
        *,
        shape: tuple[int, ...] | None = None,
        random_state: Any = None,
    ) -> Any:
        """Return random rotations, uniformly distributed.

        Parameters
        ----------
        num : int, optional
            Number of rotations. By default one, without an axis.
        rng : None, int, Generator or RandomState, optional
            With a generator of gpunp the rotations are drawn on the device, as quaternions of
            normal numbers (Muller 1959). Others, and seeds, are SciPy's: they draw on the host.
        shape : tuple of int, optional
            Shape of the rotations, in place of `num`.
        random_state : None, int, Generator or RandomState, optional
            Earlier name of `rng`.

        Returns
        -------
        Rotation
            Rotations on the device or on the host.

        Raises
        ------
        TypeError
            If both `rng` and `random_state` are given.
        ValueError
            If both `num` and `shape` are given.
        """
        if rng is not None and random_state is not None:
            raise TypeError("only one of `rng` and `random_state` can be given")
        source = random_state if rng is None else rng
        if not isinstance(source, (Generator, RandomState)):
            options = {} if shape is None else {"shape": shape}
            key = "rng" if random_state is None else "random_state"
            return theirs.random(num, **{key: source}, **options)
        if num is not None and shape is not None:
            raise ValueError("only one of `num` and `shape` can be given")
        if shape is None:
            shape = () if num is None else (num,)
        return theirs.from_quat(source.normal(size=(*shape, 4)))

    names = {
        "__module__": _MODULE,
        "__doc__": theirs.__doc__,
        "random": staticmethod(random),
    }
    return _RotationType(theirs.__name__, (theirs,), names)
