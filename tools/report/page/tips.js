// Tips: one sentence beside the pointer or the chosen place.
function showTip(text, x, y) {
  const tip = get('tip');
  tip.textContent = text;
  tip.hidden = false;
  const box = tip.getBoundingClientRect();
  tip.style.left = `${Math.max(4, Math.min(x + 14, innerWidth - box.width - 8))}px`;
  tip.style.top = `${Math.max(4, y + 18 + box.height > innerHeight ? y - box.height - 10 : y + 18)}px`;
}

function hideTip() {
  get('tip').hidden = true;
}
