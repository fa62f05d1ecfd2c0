"""``python -m textprep_ml`` is ``textprep``, for environments whose scripts are not on the path."""

from textprep_ml.cli import main

if __name__ == "__main__":
    main()
