"""Commands that fit the parameters which the package ships; not part of the wheel."""
