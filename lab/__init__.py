"""Commands for developers: they measure, attack, fit and release ragraphs, or make training data.

They are run in the root of a checkout: ``python -m lab.attack``. The package never imports them,
and no wheel holds them.
"""
