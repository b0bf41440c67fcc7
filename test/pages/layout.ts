import type { Page } from 'playwright-core';

/**
 * What is wrong with the layout of the page or, when one is open, of the dialog or menu on top of it: content wider than
 * the screen or its box, text cut off without an ellipsis, placeholders too, and controls that overlap, or are smaller than 24 pixels
 * without as much room around them (WCAG 2.5.8).
 */
export function layoutIssues(page: Page): Promise<string[]> {
  return page.evaluate(() => {
    const smallest = 24;
    const issues: string[] = [];
    const dialogs = [...document.querySelectorAll<HTMLElement>('dialog[open], [popover]:popover-open')];
    const root = dialogs.at(-1) ?? document.body;
    const nameOf = (one: Element) => {
      const text = one.getAttribute('aria-label') ?? one.textContent ?? '';
      return `${one.tagName.toLowerCase()}.${one.classList[0] ?? ''} "${text.trim().replace(/\s+/g, ' ').slice(0, 40)}"`;
    };
    const isSeen = (one: Element) =>
      one.checkVisibility({ opacityProperty: true, visibilityProperty: true }) &&
      !one.closest('.visually-hidden, [aria-hidden="true"]');

    const beyond = document.documentElement.scrollWidth - document.documentElement.clientWidth;
    if (beyond > 0) issues.push(`the page is ${beyond} pixels wider than the screen`);
    for (const one of root.querySelectorAll<HTMLElement>('*')) {
      const { overflowX, textOverflow, display, clipPath } = getComputedStyle(one);
      const cut = one.scrollWidth - one.clientWidth;
      if (cut <= 1 || clipPath !== 'none' || display === 'inline' || !isSeen(one)) continue;
      // Code, wide tables of the manual, and tabs are scrolled.
      if (
        one.matches(
          'pre, pre *, .table-scroll, textarea, input, select, canvas, .tabs, .segments, .side, .json-editor *',
        )
      )
        continue;
      if (overflowX === 'hidden' && textOverflow !== 'ellipsis')
        issues.push(`cut off by ${cut} pixels: ${nameOf(one)}`);
      if (overflowX === 'auto' || overflowX === 'scroll')
        issues.push(`scrolls sideways by ${cut} pixels: ${nameOf(one)}`);
    }

    for (const one of root.querySelectorAll<HTMLInputElement>(
      'input:not([type="number"]):placeholder-shown',
    )) {
      one.value = one.placeholder; // the width of a placeholder itself cannot be read
      const cut = one.scrollWidth - one.clientWidth;
      one.value = '';
      if (cut > 0 && isSeen(one)) issues.push(`placeholder cut off by ${cut} pixels: ${one.placeholder}`);
    }

    /** What is hit instead of a checkbox is its label. */
    const targetOf = (one: Element) =>
      one.matches('[type="checkbox"], [type="radio"]') ? (one.closest('label') ?? one) : one;
    const isInText = (one: Element) =>
      getComputedStyle(one).display === 'inline' &&
      (one.parentElement?.textContent ?? '').trim() !== one.textContent?.trim();
    const controls = [
      ...new Set(
        [...root.querySelectorAll('a[href], button, input, select, textarea, summary, [role="tab"]')]
          .filter((one) => isSeen(one) && !isInText(one) && !one.matches(':disabled'))
          .map(targetOf),
      ),
    ];
    const box = (one: Element) => one.getBoundingClientRect();
    const isSmall = (one: Element) => Math.round(Math.min(box(one).width, box(one).height)) < smallest;
    for (const one of controls.filter(isSmall)) {
      const { width, height, x, y } = box(one);
      const [centerX, centerY] = [x + width / 2, y + height / 2];
      const isCrowded = controls.some((other) => {
        if (other === one) return false;
        const { left, right, top, bottom } = box(other);
        const room = isSmall(other) ? smallest : smallest / 2;
        const [nearestX, nearestY] = isSmall(other)
          ? [(left + right) / 2, (top + bottom) / 2]
          : [Math.min(Math.max(centerX, left), right), Math.min(Math.max(centerY, top), bottom)];
        return Math.hypot(nearestX - centerX, nearestY - centerY) < room;
      });
      if (isCrowded) issues.push(`only ${Math.round(width)} by ${Math.round(height)} pixels: ${nameOf(one)}`);
    }

    // What scrolls passes below what does not.
    const layerOf = (one: Element): Element | null => {
      for (let at: Element | null = one; at; at = at.parentElement) {
        if (
          /fixed|sticky/.test(getComputedStyle(at).position) ||
          /auto|scroll/.test(getComputedStyle(at).overflowY)
        )
          return at;
      }
      return null;
    };
    const layers = new Map(controls.map((one) => [one, layerOf(one)]));
    for (const [at, one] of controls.entries()) {
      const a = box(one);
      for (const other of controls.slice(at + 1)) {
        if (layers.get(one) !== layers.get(other) || one.contains(other) || other.contains(one)) continue;
        const b = box(other);
        const wide = Math.min(a.right, b.right) - Math.max(a.left, b.left);
        const high = Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top);
        if (wide > 1 && high > 1) issues.push(`overlap: ${nameOf(one)} and ${nameOf(other)}`);
      }
    }
    return [...new Set(issues)];
  });
}
