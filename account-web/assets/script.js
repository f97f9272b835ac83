// Makes pages more comfortable. Each of them works without it.
'use strict';

// What is wrong with a form is read first.
document.querySelector('.summary')?.focus();

// Secrets, selectors and code can be copied by a button.
const words = { en: ['Copy', 'Copied'], de: ['Kopieren', 'Kopiert'], uk: ['Копіювати', 'Скопійовано'], pl: ['Kopiuj', 'Skopiowano'],
  cs: ['Kopírovat', 'Zkopírováno'], ro: ['Copiază', 'Copiat'], ru: ['Копировать', 'Скопировано'] };
const [copy, copied] = words[document.documentElement.lang] ?? words.en;
const addCopyButton = (pre) => {
  const button = document.createElement('button');
  button.type = 'button';
  button.className = 'quiet copy';
  button.textContent = copy;
  const said = document.createElement('span');
  said.setAttribute('role', 'status');
  button.addEventListener('click', async () => {
    await navigator.clipboard.writeText(pre.textContent.trim());
    said.textContent = ` ${copied}`;
  });
  pre.after(button, said);
};
if (navigator.clipboard) {
  // In closed parts of a page when they are opened: a long report has hundreds.
  for (const pre of document.querySelectorAll('pre[data-copy]')) if (!pre.closest('details')) addCopyButton(pre);
  for (const details of document.querySelectorAll('details')) {
    details.addEventListener('toggle', () => details.querySelectorAll('pre[data-copy]').forEach(addCopyButton), { once: true });
  }
}

// The preview of the brand follows what is typed.
const preview = document.querySelector('.preview');
if (preview) {
  const [bar, text] = preview.children;
  const [name, colour] = ['name', 'colour'].map((id) => document.getElementById(id));
  name.addEventListener('input', () => { text.textContent = name.value.trim() || preview.dataset.name; });
  colour.addEventListener('input', () => {
    const typed = colour.value.trim();
    bar.setAttribute('fill', /^#[0-9a-f]{6}$/i.test(typed) ? typed : preview.dataset.colour);
  });
}

// The progress of a check is shown while it runs, and its report when it has ended.
const live = document.querySelector('[data-progress]');
if (live) {
  const events = new EventSource(live.dataset.progress);
  events.addEventListener('progress', ({ data }) => {
    const { done, found } = JSON.parse(data);
    live.querySelector('[data-done]').textContent = done;
    live.querySelector('[data-found]').textContent = found;
    const bar = live.querySelector('progress');
    if (found > 0) Object.assign(bar, { max: found, value: done });
  });
  events.addEventListener('end', () => {
    events.close();
    location.reload();
  });
}
