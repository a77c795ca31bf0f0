// Elements: small makers of HTML and SVG; text is always text, never markup.
const SVG_SPACE = (() => {
  const template = document.createElement('template');
  template.innerHTML = '<svg></svg>';
  return template.content.firstChild.namespaceURI;
})();

function fill(node, attributes, children) {
  for (const [name, value] of Object.entries(attributes ?? {})) {
    if (value === undefined || value === null || value === false) continue;
    if (name.startsWith('on')) node.addEventListener(name.slice(2), value);
    else if (name === 'style') node.style.cssText = value;
    else node.setAttribute(name, value === true ? '' : value);
  }
  node.append(...children.flat(9).filter((child) => child !== undefined && child !== null && child !== false));
  return node;
}

function make(tag, attributes, ...children) {
  return fill(document.createElement(tag), attributes, children);
}

function draw(tag, attributes, ...children) {
  return fill(document.createElementNS(SVG_SPACE, tag), attributes, children);
}

function get(id) {
  return document.getElementById(id);
}

// Fill a section: its heading, what it shows, and the rest.
function openSection(id, title, lead, ...children) {
  const section = get(id);
  section.hidden = false;
  section.replaceChildren(
    make('h2', { id: `${id}-title` }, title),
    lead ? make('p', { class: 'lead' }, lead) : '',
    ...children.flat(9).filter((child) => child),
  );
  return section;
}

// What can be clicked can be reached and pressed by keys.
function pressable(node, action) {
  node.tabIndex = 0;
  node.addEventListener('click', action);
  node.addEventListener('keydown', (event) => {
    if (event.target === node && (event.key === 'Enter' || event.key === ' ')) {
      event.preventDefault();
      action(event);
    }
  });
  return node;
}
