"""python -m gpunp.distributed --nproc N [-m] PROGRAM [ARGUMENT ...]"""

import sys

from ._launch import main

if __name__ == "__main__":
    sys.exit(main())
