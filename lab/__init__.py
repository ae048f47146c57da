"""What we measure, attack, fit and release the package with: commands for developers of ragraphs.

They are run in the root of a checkout: ``python -m lab.attack``. The package never imports them,
and no wheel holds them.
"""
