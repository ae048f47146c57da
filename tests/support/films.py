"""A small graph to draw, and texts that would act if a page let them."""

from ragraphs.views.pages.drawing import DrawnEdge, DrawnGraph, DrawnNode

ATTACKS = [
    "</script><script>window.ran = 1</script>",
    "<img src=http://127.0.0.1:9/x onerror='window.ran = 1'>",
    "<!--<script>window.ran = 1</script>",
    "\"'><svg onload=window.ran=1>",
    "javascript:window.ran=1",
    "</style><style>@import 'http://127.0.0.1:9/x'</style>{{script}}",
    "\u2028window.ran = 1\u2029`${window.ran = 1}`",
    "__proto__",
    "constructor",
]
FILMS = DrawnGraph(
    "Films",
    [
        DrawnNode("film", "Red Kite (film)", text="A drama directed by Ada Quill."),
        DrawnNode("director", "Ada Quill", text="Born in Bergen.", attributes={"document": "a.md"}),
        DrawnNode("place", "Bergen", "entity", "A city in Norway."),
        DrawnNode("king", "세종대왕", text="세종대왕은 훈민정음을 창제하였다."),
    ],
    [
        DrawnEdge("film", "director", "Who directed Red Kite?", 0.8, "question"),
        DrawnEdge("director", "place", "Where was she born?", 0.6, "question"),
        DrawnEdge("place", "king", "누가 창제하였는가?", 0.1, "question"),
    ],
)
