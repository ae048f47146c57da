"""Long lives of an index: does it stay what a fresh build of its documents is?

``python -m lab.living``: changes at random, kills at random moments, and a folder that is followed.
"""
