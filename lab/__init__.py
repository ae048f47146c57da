"""Commands for developers of ragraphs: they measure, attack, fit and release the package.

They are run in the root of a checkout: ``python -m lab.attack``. The package never imports them,
and no wheel holds them.
"""
