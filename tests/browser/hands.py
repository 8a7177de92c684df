"""What a person does on a page, counted: the plan of the pages says how many clicks each job takes."""

from dataclasses import dataclass

from playwright.sync_api import Locator, Page, TimeoutError

#: How often somebody looks where a mark is, and how long each look takes.
LOOKS, LOOK_MS = 8, 2_500

#: The middle of the bar or point that stands out most, of those that are drawn, once it is in sight.
TALLEST = """(all) => {
  const height = (one) => one.getBoundingClientRect().height;
  const tallest = all.reduce((one, two) => (height(two) > height(one) ? two : one));
  tallest.scrollIntoView({ block: "center" });
  const box = tallest.getBoundingClientRect();
  return { x: box.x + box.width / 2, y: box.y + box.height / 2 };
}"""
DROP = """([name, text]) => {
  const dropped = new DataTransfer();
  dropped.items.add(new File([text], name));
  document.body.dispatchEvent(
    new DragEvent("drop", { bubbles: true, cancelable: true, dataTransfer: dropped }));
}"""


@dataclass(slots=True)
class Hands:
    """Somebody's hands on a page, and what they have done."""

    page: Page
    clicks: int = 0
    fields: int = 0
    drags: int = 0

    def click(self, one: Locator) -> None:
        self.clicks += 1
        one.click()

    def click_on_chart(self, marks: str) -> None:
        """With a mouse that rests on a mark of it first: empty columns have bars too, of no height."""
        self.clicks += 1
        self.page.locator("figure[data-drawn]").first.wait_for()
        for _look in range(LOOKS):
            box = self.page.locator(marks).evaluate_all(TALLEST)
            self.page.mouse.move(box["x"] - 2, box["y"])
            self.page.mouse.move(box["x"], box["y"])
            try:
                self.page.locator(".hoverlayer > g").first.wait_for(timeout=LOOK_MS)
            except TimeoutError:
                continue  # the page moved below the mouse while it was still being laid out
            if self.page.locator(marks).evaluate_all(TALLEST) != box:
                continue  # or after it rested there
            self.page.mouse.down()
            self.page.mouse.up()
            return
        raise AssertionError(f"nothing of {marks} answers to the mouse")

    def fill(self, field: Locator, text: str) -> None:
        self.fields += 1
        field.fill(text)

    def drop(self, name: str, text: str) -> None:
        """Drag a file onto the page."""
        self.drags += 1
        self.page.evaluate(DROP, [name, text])
