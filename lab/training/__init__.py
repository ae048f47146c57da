"""Commands that fit the parameters which the package ships."""
