// The page of `ovl report`: tables that sort by their heads, and a switch between light and dark.
"use strict";
function value(row, column) {
  const cell = row.cells[column];
  return cell.dataset.v === undefined ? cell.textContent : cell.dataset.v === "" ? NaN : Number(cell.dataset.v);
}
function order(a, b) {
  if (typeof a === "string" || typeof b === "string")
    return String(a).localeCompare(String(b), "en", { numeric: true });
  return a - b;
}
// What has no value stays below, whichever way is up.
function sortBy(table, column, up) {
  const body = table.tBodies[0], empty = (x) => typeof x === "number" && isNaN(x);
  const rows = Array.from(body.rows).map((row, i) => ({ row, i, v: value(row, column) }));
  rows.sort((x, y) => empty(x.v) - empty(y.v) || (up ? order(x.v, y.v) : order(y.v, x.v)) || x.i - y.i);
  body.append(...rows.map((r) => r.row));
}
document.querySelectorAll("table.sorts").forEach((table) => {
  const heads = Array.from(table.tHead.rows[0].cells);
  heads.forEach((head, column) => {
    const button = document.createElement("button");
    button.type = "button";
    button.title = "sort";
    button.append(...head.childNodes);
    head.append(button);
    button.addEventListener("click", () => {
      const up = head.getAttribute("aria-sort") !== "ascending";
      heads.forEach((other) => other.removeAttribute("aria-sort"));
      head.setAttribute("aria-sort", up ? "ascending" : "descending");
      sortBy(table, column, up);
    });
  });
});
const theme = document.getElementById("theme"), root = document.documentElement;
theme.hidden = false;
theme.addEventListener("click", () => {
  const dark = root.dataset.theme ? root.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
  root.dataset.theme = dark ? "light" : "dark";
});
