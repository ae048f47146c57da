"""Irregular English verbs and other words of grammar."""

PAST_OF = dict(
    entry.split(":")
    for entry in """written:wrote sung:sang drawn:drew begun:began given:gave taken:took
    shown:showed known:knew driven:drove overseen:oversaw become:became chosen:chose spoken:spoke
    broken:broke run:ran made:made built:built led:led held:held won:won sold:sold taught:taught
    bought:bought lost:lost sent:sent paid:paid found:found fought:fought shot:shot left:left
    brought:brought set:set told:told gone:went come:came grown:grew seen:saw done:did met:met
    struck:struck kept:kept heard:heard""".split()
)
PASTS = "|".join(sorted({*PAST_OF.values()}))
