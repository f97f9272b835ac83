//! Probes that move the page: they press Tab, set wider spacing, make the window narrow and wait where text changes.

use std::collections::BTreeSet;

use a11ycheck_core::{
    catalog,
    domain::{Findings, RuleId},
    locale::Locale,
};
use a11ycheck_scanner_chromium::MovingProbes;

use crate::{
    probes::{found, numbered_site, scan_moving},
    support::{Reply, Site, page},
};

/// The probes that move the page.
pub(crate) const MOVING: [&str; 8] = [
    "a11ycheck-auto-advance",
    "a11ycheck-changing-text",
    "a11ycheck-clipped-spacing",
    "a11ycheck-clipped-text",
    "a11ycheck-focus-obscured",
    "a11ycheck-focus-visible",
    "a11ycheck-keyboard-trap",
    "a11ycheck-reflow",
];

/// For each of them a page that fails, with what fails, and pages that do not.
const MOVED: [(&str, &str, &str, &[&str]); 16] = [
    (
        "a11ycheck-changing-text",
        "<p>Our prices</p><p>Gold: <b id=x>1</b></p><script>let n = 1; setInterval(() => { x.textContent = n++ }, 1000)</script>",
        "#x",
        &[
            "<p>Our prices</p><p>Gold: <b id=x>1</b></p>",
            "<p>Our prices</p><p>Gold: <b id=x>1</b></p><button>Pause</button><script>setInterval(() => { x.textContent = Math.random() }, 300)</script>",
            // Other controls may stop it, a clock may have to go on, and what ends has ended.
            "<p>Our prices</p><p>Gold: <b id=x>1</b></p><button>Menu</button><script>setInterval(() => { x.textContent = Math.random() }, 300)</script>",
            "<p>It is</p><p id=x role=timer>1</p><script>setInterval(() => { x.textContent = Math.random() }, 300)</script>",
            "<p>Our prices</p><b id=x>1</b><script>let n = 1; const t = setInterval(() => { x.textContent = n++; if (n > 15) clearInterval(t) }, 200)</script>",
            "<b id=x>1</b><i hidden id=y></i><script>setInterval(() => { y.textContent = Math.random(); x.title = y.textContent }, 300)</script>
             <form name=body><input name=innerText aria-label=x></form>",
        ],
    ),
    (
        "a11ycheck-changing-text",
        "<p>Our prices</p><p id=x></p><script>const tree = x.attachShadow({ mode: 'open' }); tree.innerHTML = '<b id=y>1</b>'; let n = 1; setInterval(() => { tree.firstChild.textContent = n++ }, 2000)</script>",
        "#x #y",
        &["<p>Our prices</p><p id=x></p><script>const tree = x.attachShadow({ mode: 'open' }); tree.innerHTML = '<b id=y>1</b>'; setTimeout(() => { tree.firstChild.textContent = 2 }, 2000)</script>"],
    ),
    (
        "a11ycheck-auto-advance",
        "<p>Our shop</p><section><div id=x class=carousel style='width: 400px'><p id=y>One</p><p id=z hidden>Two</p></div></section><script>setInterval(() => { y.hidden = !y.hidden; z.hidden = !z.hidden }, 2000)</script>",
        "#x",
        &[
            "<p>Our shop</p><section><div id=x class=carousel style='width: 400px'><p id=y>One</p><p id=z hidden>Two</p></div></section>",
            // Something on the page stops it, or may; and it moves once.
            "<section><button>Pause</button><div id=x class=carousel style='width: 400px'><p id=y>One</p><p id=z hidden>Two</p></div></section><script>setInterval(() => { y.hidden = !y.hidden; z.hidden = !z.hidden }, 2000)</script>",
            "<section><button>Next</button><div id=x class=carousel style='width: 400px'><p id=y>One</p><p id=z hidden>Two</p></div></section><script>setInterval(() => { y.hidden = !y.hidden; z.hidden = !z.hidden }, 2000)</script>",
            "<section><div id=x class=carousel style='width: 400px'><p id=y>One</p><p id=z hidden>Two</p></div></section><script>setTimeout(() => { y.hidden = !y.hidden; z.hidden = !z.hidden }, 3000)</script>",
            // What a script hides and shows without such a name is for a person; and what only moves down a little, or comes once more, is no slide.
            "<div><div id=x style='width: 400px'><p id=y>One</p><p id=z hidden>Two</p></div></div><p>Text</p><p>Text</p><p>Text</p><script>setInterval(() => { y.hidden = !y.hidden; z.hidden = !z.hidden }, 2000)</script>",
            "<main id=app class=bowl-list><h1>News</h1><p>A</p><div id=y></div><p>B</p></main><script>setInterval(() => 0, 90000); setTimeout(() => { y.style.height = '90px' }, 4000); setTimeout(() => { y.style.height = '250px' }, 7000)</script>",
            "<section><div id=x class=carousel style='width: 400px'><p id=y>One</p><p id=z hidden>Two</p><a href='#'>·</a></div></section><script>setInterval(() => { y.hidden = !y.hidden; z.hidden = !z.hidden }, 2000)</script>",
            // What moves is beside it, and a slider is none of these.
            "<section><div id=x class=carousel style='width: 400px'><p>One</p><p>Two</p></div></section><i id=y>News</i><script>setInterval(() => { y.hidden = !y.hidden }, 2000)</script>",
            "<section><div id=x class=slider style='width: 400px'><input type=range aria-label=x><p id=y>One</p><p id=z hidden>Two</p></div></section><script>setInterval(() => { y.hidden = !y.hidden; z.hidden = !z.hidden }, 2000)</script>",
            "<form class=slide style='width: 400px'><input name=querySelectorAll aria-label=x><p>One</p><p>Two</p></form><script>Element.prototype.getBoundingClientRect = () => { throw 1 }</script>",
        ],
    ),
    (
        "a11ycheck-focus-visible",
        "<div id=x></div><script>x.attachShadow({ mode: 'open' }).innerHTML = '<style>#y { outline: none }</style><a href=/a>A</a> <a id=y href=/b>B</a>'</script>",
        "#x #y",
        &["<div id=x></div><script>x.attachShadow({ mode: 'open' }).innerHTML = '<style>a { outline: none } a:focus { background: yellow }</style><a href=/a>A</a> <a href=/b>B</a>'</script>",
          "<div id=x></div><script>x.attachShadow({ mode: 'open' }).innerHTML = '<style>a { outline: none } a ~ i { opacity: 0; transition: opacity .2s .1s } a:focus ~ i { opacity: 1 }</style><p><a href=/a>A</a><b>1</b><b>2</b><i>here</i></p>'</script>"],
    ),
    (
        "a11ycheck-focus-visible",
        "<style>#x { outline: none }</style><a href='/a'>First</a> <a id=x href='/b'>Second</a>",
        "#x",
        &[
            "<a href='/a'>First</a> <button>Second</button>",
            "<style>a { outline: none } a:focus + i { color: red }</style><a href='/a'>First</a><i>mark</i>",
            "<style>input, a { outline: none } a:focus { background: yellow }</style><input aria-label=x> <a href='/a'>First</a>",
            // Shown after a while, in a tree of its own, and only on the element to which the page moves the focus on.
            "<style>a { outline: none; transition: background .4s steps(4, end) } a:focus { background: yellow }</style><a href='/a'>First</a> <a href='/b'>Second</a>",
            "<p id=x></p><script>x.attachShadow({ mode: 'open' }).innerHTML = '<style>a { outline: none } a:focus { color: red }</style><a href=/a>A</a> <a href=/b>B</a>'</script>",
            "<style>i { outline: none }</style><a href='/a'>A</a> <i tabindex=0 onfocus='setTimeout(() => y.focus(), 5)'></i> <button id=y>B</button> <a href='/b'>C</a>",
            "<style>a { outline: none } b { animation: a 0.1s infinite linear } @keyframes a { to { margin-left: 90px } }</style>
             <b>moves</b><a href='/a' onfocus='blur()'>First</a><form><input name=focus type=submit></form>",
        ],
    ),
    (
        "a11ycheck-focus-visible",
        "<a id=x href='#m' style='position: absolute; left: -999px'>Skip to the text</a><p id=m>Text</p><a href='/a'>First</a>",
        "#x",
        &[
            "<style>a { position: absolute; left: -999px } a:focus { left: 0 }</style><a href='#m'>Skip to the text</a><p id=m>Text</p>",
            // Longer on its way than anybody waits for it.
            "<style>a { position: absolute; top: -99px; transition: top 3s } a:focus { top: 0 }</style><a href='#m'>Skip to the text</a><p id=m>Text</p>",
            "<a href='/a' style='position: absolute; left: 3000px'>Far to the right</a><a href='/b' style='position: absolute; top: 3000px'>Down</a>",
        ],
    ),
    (
        "a11ycheck-focus-visible",
        "<style>input { position: absolute; opacity: 0 }</style><label><input id=x type=checkbox><i>□</i> I can swim</label>",
        "#x",
        &[
            "<style>input { position: absolute; opacity: 0 } :focus + i { background: yellow }</style><label><input type=checkbox><i>□</i> I can swim</label>",
            // Drawn beside it, and out of the window when it has the focus.
            "<style>input { position: absolute; top: -99px } :focus + label::before { box-shadow: 0 0 0 3px blue } label::before { content: '□' }</style>
             <input type=checkbox id=y><label for=y style='display: block; margin-top: 2000px'>I can swim</label>",
            "<style>label:focus-within { color: red } input { opacity: 0 }</style><label><input type=checkbox> I can swim</label>",
        ],
    ),
    // No two pictures of it are equal: what shows the focus is looked for in its rules and its tree.
    (
        "a11ycheck-focus-visible",
        "<style>a, a:focus { outline: 0 } a:focus { color: #00f } a { color: #00f; transition: color 1s } .b:focus, [title=':focus'] ~ i { color: red } .focus\\:after\\:w:focus::after { width: 100% } :focus:not(:focus-visible) { color: red }
         main:not(:focus-within) a, a:hover { cursor: help } b { display: block; animation: a 0.1s infinite linear } @keyframes a { to { margin-left: 90px } }</style>
         <main><a id=x href='/a'>First</a> <p>1</p><p>2</p><i>far away</i><b>moves</b></main>",
        "#x",
        &[
            "<style>a { outline: 0 } main:not(:focus-within) i { color: red }</style><main><a href='/a'>First</a> <p>1</p><p>2</p><i>far away</i></main>",
            "<style>a { outline: 0 } body:has(a:focus) h1, .a:focus { color: red }</style><h1>Far away</h1><p>1</p><p><i><a href='/a'>First</a></i></p><p>2</p>",
            "<style>a { outline: 0 } main { a:focus ~ i { color: red } }</style><main><a href='/a'>First</a> <p>1</p><p>2</p><i>far away</i></main>",
            "<style>a { outline: 0 } @media screen { @layer { a:focus ~ i::after { content: '!' } } }</style><main><a href='/a'>First</a> <p>1</p><p>2</p><i>far away</i></main>",
            "<style>a { outline: 0 } .\\:focus, a:is(:focus, .b) ~ i { opacity: .5; transition: opacity 50ms }</style><main><a href='/a'>First</a> <p>1</p><p>2</p><i>far away</i></main>",
            "<style>a { outline: 0 }</style><p><i><a href='/a' onfocus='y.showPopover()' onblur='y.hidePopover()'>First</a></i></p><p>1</p><div popover=manual id=y>Help</div>",
            "<style>a { outline: 0 } b { position: relative } a *::after { content: ''; position: absolute; left: 0; bottom: 0; height: 2px; background: red } a:focus *::after { width: 100% }</style>
             <a href='/a'><b>First</b></a>",
            "<style>* { outline: 0 !important } a { position: absolute; clip-path: inset(50%); color: inherit } a:focus { all: unset }</style><p>1</p><a href='/a'>First</a>",
            "<style>* { outline: 0 !important } .u\\:before:focus { letter-spacing: 5px }</style><a class='u:before' href='/a'>First</a>",
            "<style>* { outline: 0 !important } a[title='a ::before']:focus { letter-spacing: 5px }</style><a title='a ::before' href='/a'>First</a>",
            "<style>* { outline: 0 !important } a i { visibility: hidden; transition: visibility 0s .2s } a:focus i { visibility: visible }</style><a href='/a'>First<i>Help</i></a>",
            "<style>* { outline: 0 !important } #y:checked ~ p { background: red }</style><p><i><a href='/a' onfocus='y.checked = true' onblur='y.checked = false'>First</a></i></p><input type=checkbox id=y aria-label=y hidden><p>1</p>",
            "<style>* { outline: 0 !important } #y { opacity: 0; background: red }</style><p><i><a href='/a'>First</a></i></p><p>1</p><div id=y>1</div>
             <script>let n; addEventListener('focusin', () => { n = y.animate([{ opacity: 0 }, { opacity: 1 }], { duration: 9, fill: 'forwards' }) }); addEventListener('focusout', () => n.cancel())</script>",
            "<style>a { outline: 0 } i { visibility: hidden }</style><p><b><a href='/a' onfocus='setTimeout(() => y.className = `y`, 25)' onblur='y.className = ``'>First</a></b></p>
             <p>1</p><p><i id=y>Help</i></p><style>.y { visibility: visible }</style>",
            "<style>a { outline: 0 }</style><p><i><a href='/a' onfocus='y.getContext(`2d`).fillRect(0, 0, 50, 50)' onblur='y.width = 99'>First</a></i></p><p>1</p><canvas id=y width=99 height=99></canvas>",
            "<style>a { outline: 0 }</style><p><i><a href='/a'>First</a></i></p><p>1</p><p id=y>Far away</p>
             <script>const sheet = new CSSStyleSheet(); sheet.replaceSync('body:has(:focus) #y { color: red }'); document.adoptedStyleSheets = [sheet]</script>",
            "<style id=z>a { outline: 0 }</style><p><i><a href='/a' onfocus='z.sheet.insertRule(`#y { color: red }`, 0)' onblur='z.sheet.deleteRule(0)'>First</a></i></p><p>1</p><p id=y>Far away</p>",
            // A mark that a script moves to what has the focus, and leaves there.
            "<style>a { outline: 0 } #y { position: absolute; left: -99px; width: 40px; height: 20px; border: 2px solid red }</style>
             <p><i><a href='/a' onfocus='y.style.left = 0'>First</a></i></p><p>1</p><div id=y></div>",
            "<style>a { outline: 0 }</style><p><i><a id=y href='/a'>First</a></i></p><p>1</p>
             <svg width=90 height=90><rect width=50 height=50 fill=red><set attributeName=fill to=blue begin='y.focus' end='y.blur' /></rect></svg>",
        ],
    ),
    (
        "a11ycheck-focus-obscured",
        "<style>footer { position: fixed; inset: auto 0 0; height: 9em; background: #eee } a { position: absolute; top: calc(100vh - 4em) } i { position: absolute; top: 400vh }</style>
         <a id=x href='/a'>First</a> <a href='/b' style='top: 200vh'>Second</a><i>The end</i><footer>We use cookies.</footer>",
        "#x",
        &[
            // Half of it is seen; what covers it lets it through; it is part of the bar; and the page makes room for the bar.
            "<style>footer { position: fixed; inset: auto 0 0; height: 2em; background: #eee } a { position: fixed; bottom: 1.5em }</style><a href='/a'>First</a><footer>We use cookies.</footer>",
            "<style>footer { position: fixed; inset: auto 0 0; height: 9em; background: #eee9 } a { position: fixed; bottom: 1em }</style><a href='/a'>First</a><footer>We use cookies.</footer>",
            "<style>footer { position: fixed; inset: auto 0 0; height: 9em; background: #eee; opacity: .9 } a { position: fixed; bottom: 1em }</style><a href='/a'>First</a><footer>We use cookies.</footer>",
            "<style>footer { position: fixed; inset: auto 0 0; height: 9em; background: #eee }</style><p>Text</p><footer><a href='/a'>First</a></footer>",
            "<style>html { scroll-padding-bottom: 10em } footer { position: fixed; inset: auto 0 0; height: 9em; background: #eee } a { position: absolute; top: calc(100vh - 4em) } i { position: absolute; top: 400vh }</style>
             <a href='/a'>First</a><i>The end</i><footer>We use cookies.</footer>",
            // It goes away as soon as it covers what has the focus, and what covers all of the window is no bar.
            "<style>footer { position: fixed; inset: auto 0 0; height: 9em; background: #eee } :focus ~ footer { display: none } a { position: fixed; bottom: 1em }</style><a href='/a'>First</a><footer>We use cookies.</footer>",
            "<style>footer { position: fixed; inset: 0; background: #eee }</style><a href='/a'>First</a><footer>Please wait.</footer>",
            // A picture stands out of its link, what the label shows is elsewhere, and a child sticks out of the bar.
            "<style>footer { position: fixed; inset: auto 0 0; height: 9em; background: #eee } a { position: absolute; bottom: 1em } svg { display: block; float: left; width: 90px; height: 300px }</style><a href='/a'><svg role=img aria-label=A><rect width=90 height=300 /></svg></a><footer>We use cookies.</footer>",
            "<style>footer { position: fixed; inset: auto 0 0; height: 9em; background: #eee } input { position: fixed; bottom: 1em; opacity: 0 } :focus + b { color: red }</style><label><input type=checkbox><b>Newsletter</b></label><footer>We use cookies.</footer>",
            "<style>footer { position: fixed; inset: auto 0 0; height: 9em; background: #eee } a { position: fixed; bottom: 10em } i { position: absolute; inset: -9em 0 100% }</style><a href='/a'>First</a><footer>We use <i></i> cookies.</footer>",
            // It goes after a while, and the page scrolls as soon as it hears the key.
            "<style>footer { position: fixed; inset: auto 0 0; height: 9em; background: #eee } a { position: fixed; bottom: 1em }</style><a href='/a'>First</a><footer id=y>We use cookies.</footer><script>addEventListener('focusin', () => setTimeout(() => { y.hidden = true; y.style.display = 'none' }, 300))</script>",
            "<style>footer { position: fixed; inset: auto 0 0; height: 9em; background: #eee } a { position: absolute; top: calc(100vh - 4em) } a + a { top: 200vh } i { position: absolute; top: 400vh }</style><a href='/a'>First</a> <a href='/b'>Second</a><i>The end</i><footer>We use cookies.</footer>
             <script>addEventListener('keydown', () => requestAnimationFrame(() => document.activeElement.scrollIntoView({ block: 'center' })))</script>",
            "<style>footer { position: sticky; bottom: 0; height: 9em; background: #eee }</style><form><input name=elementFromPoint aria-label=x></form><footer>We use cookies.</footer>
             <script>Document.prototype.elementFromPoint = Element.prototype.getClientRects = () => { throw 1 }</script>",
        ],
    ),
    (
        "a11ycheck-focus-removed",
        "<button id=x>Menu</button> <a href='/a'>First</a><script>x.addEventListener('focus', (event) => event.target.blur())</script>",
        "#x",
        &[
            "<button id=x>Menu</button><script>x.addEventListener('focus', (event) => { if (event.target.disabled) event.target.blur() })</script>",
            "<button id=x>Menu</button><script>x.addEventListener('focus', () => blur()); x.addEventListener('click', () => x.blur())</script>",
            "<button id=x>Menu</button><script>x.addEventListener('focus', () => this.blur()); x.addEventListener('focus', (event) => event.target.blur(), { once: true })</script>",
            "<button id=x>Menu</button><script>const ui = { target: document.body, focus() { this.blur() }, blur() {} }; x.addEventListener('focus', () => ui.target.blur()); x.addEventListener('focus', ui.focus.bind(ui))</script>",
            "<button id=x>Menu</button><script>x.addEventListener('focus', Object.assign(() => 0, { toString: () => '() => x.target.blur()' }))</script>",
        ],
    ),
    (
        "a11ycheck-focus-visible",
        "<style>a:focus { outline: 2px solid #fff }</style><a id=x href='/a'>First</a>",
        "#x",
        &["<style>a:focus { outline: 2px solid #fff } p { background: #333 }</style><p><a href='/a'>First</a></p>"],
    ),
    (
        "a11ycheck-keyboard-trap",
        "<a href='/a'>First</a> <button id=x onblur='setTimeout(() => focus(), 5)'>Second</button> <a href='/b'>Third</a>",
        "#x",
        &[
            "<a href='/a'>First</a> <button>Second</button> <a href='/b'>Third</a>",
            "<a href='/a'>First</a> <button onkeydown='event.key == \"Tab\" && !event.shiftKey && event.preventDefault()'>x</button> <a href='/b'>B</a>",
            "<a href='/a'>A</a><div role=dialog aria-label=x><button onblur='setTimeout(() => focus(), 5)'>x</button></div><a href='/b'>B</a>",
            "<p>Press Ctrl+M to leave.</p><a href='/a'>A</a><button onblur='setTimeout(() => focus(), 5)'>x</button><a href='/b'>B</a>",
        ],
    ),
    // There is nothing else to go to but the browser.
    (
        "a11ycheck-keyboard-trap",
        "<label>Notes <textarea id=x onkeydown='event.key == `Tab` && event.preventDefault()'></textarea></label>",
        "#x",
        &[
            "<label>Notes <textarea></textarea></label>",
            "<button>A</button> <button>B</button>",
            // One of them may lead out.
            "<button id=x>A</button> <button id=y>B</button><script>addEventListener('keydown', (event) => { if (event.key === 'Tab') { event.preventDefault(); (document.activeElement === x ? y : x).focus() } })</script>",
            "<div role=dialog aria-label=Cookies><button onkeydown='event.key == `Tab` && event.preventDefault()'>Agree</button></div>",
        ],
    ),
    (
        "a11ycheck-clipped-spacing",
        // Three lines of 16 pixels, which become 24, whatever the font; what a style sheet calls important does not keep them.
        "<style>p { line-height: 16px !important }</style><div style='height: 60px; font-size: 16px; line-height: 16px; overflow: hidden'><p id=x style='margin: 0'>One<br>Two<br>Three</p></div>",
        "#x",
        &[
            "<div style='min-height: 60px; font-size: 16px; line-height: 16px; overflow: hidden'><p id=x style='margin: 0'>One<br>Two<br>Three</p></div>",
            "<div style='height: 72px; font-size: 16px; line-height: 16px; overflow: hidden'><p id=x style='margin: 0'>One<br>Two<br>Three</p></div>",
            "<div style='height: 60px; font-size: 16px; line-height: 16px; overflow: auto'><p id=x style='margin: 0'>One<br>Two<br>Three</p></div>",
            "<div style='height: 60px; font-size: 16px; line-height: 16px; overflow: hidden'><p id=x lang=ja style='margin: 0'>いち<br>に<br>さん</p></div><p lang=ja>日本語<br>日本</p>",
            // Cut off already, and a script that lets the box grow.
            "<div style='height: 40px; font-size: 16px; line-height: 17px; overflow: hidden'><p id=x style='margin: 0'>One<br>Two<br>Three</p></div>",
            "<div id=y style='height: 60px; font-size: 16px; line-height: 16px; overflow: hidden'><p id=x style='margin: 0'>One<br>Two<br>Three</p></div><script>new ResizeObserver(() => { y.style.height = `${x.offsetHeight}px` }).observe(x)</script>",
            "<style>* { line-height: 16px; transition: all 9s }</style><form><input name=parentElement><p>One<br>Two</form>
             <script>Object.defineProperty(Document.prototype, 'adoptedStyleSheets', { get() { throw this } }); CSSStyleSheet = 7</script>",
        ],
    ),
    (
        "a11ycheck-clipped-text",
        "<div style='height: 50px; line-height: 20px; overflow: hidden; width: 90%'><p id=x style='margin: 0'>WIDE</p></div>",
        "#x",
        &[
            "<div style='min-height: 50px; overflow: hidden'>WIDE</div>",
            "<div style='white-space: nowrap; overflow: hidden; text-overflow: ellipsis'>WIDE</div>",
            "<div style='height: 50px; overflow: auto'>WIDE</div><p style='position: absolute; width: 1px; height: 1px; overflow: hidden'>WIDE</p>",
            "<div class=carousel style='height: 50px; line-height: 20px; overflow: hidden'>WIDE</div><form><input name=scrollWidth></form>",
        ],
    ),
    (
        "a11ycheck-reflow",
        "<p id=x style='width: 900px'>WIDE</p>",
        "#x",
        &[
            "<p>WIDE</p>",
            "<div style='overflow-x: auto'><p style='width: 900px'>WIDE</p></div><table><tr><td style='min-width: 900px'>WIDE</table>",
            "<p style='position: absolute; left: -9999px; width: 900px'>WIDE</p><img src='data:,' alt=x style='width: 900px'>",
            // It slides to where it belongs in such a window.
            "<style>p { position: absolute; left: 600px; transition: left 90s } @media (max-width: 1000px) { p { left: 0 } }</style><p>WIDE</p>",
        ],
    ),
];

#[tokio::test(flavor = "multi_thread")]
async fn a_page_is_walked_through_and_made_narrow_and_stays_what_it_was() {
    // Two lines in a wide window, three in one half as wide.
    let wide =
        "A text that needs two lines in a window of the usual width, and more of them in one that is half as wide. "
            .repeat(2);
    let pages: Vec<(usize, bool, String)> = MOVED
        .iter()
        .enumerate()
        .flat_map(|(number, (_, fails, _, others))| {
            std::iter::once((number, true, *fails)).chain(others.iter().map(move |other| (number, false, *other)))
        })
        .map(|(number, fails, body)| (number, fails, body.replace("WIDE", &wide)))
        .collect();
    let site = numbered_site(pages.iter().map(|(.., body)| body.clone()).collect()).await;
    let paths: Vec<String> = (0..pages.len()).map(|number| format!("/{number}")).collect();
    let findings = scan_moving(&site, &paths, MovingProbes::EveryPage).await;
    let mut wrong = Vec::new();
    for (index, (number, fails, body)) in pages.iter().enumerate() {
        let (probe, _, selector, _) = MOVED[*number];
        let wanted: BTreeSet<String> = fails.then(|| selector.to_owned()).into_iter().collect();
        let found = found(&findings, probe, index);
        if found != wanted {
            wrong.push(format!("{probe}: {found:?}: {body}"));
        }
    }
    assert_eq!(wrong, Vec::<String>::new());
    let ran = findings.ran.unwrap();
    assert!(MOVING.iter().all(|probe| ran.contains(*probe)), "{ran:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_page_of_many_stops_is_walked_through_as_one_of_few() {
    let links = |from: u32| -> String {
        (from..from + 12).map(|number| format!("<a href='/{number}'>{number}</a>, ")).collect()
    };
    let unseen = "<style>.plain { outline: none } .shown { color: red }</style>";
    let (plain, shown) = (
        "class=plain href='/x'>Plain</a> ",
        "onfocus='setTimeout(() => className = `plain shown`, 5)' onblur='className = `plain`'",
    );
    let pages = [
        // The second of the three is shown by a script, a while after it has got the focus.
        (
            "a11ycheck-focus-visible",
            vec!["#x", "#z"],
            format!("{unseen}{}<a id=x {plain}<a id=y {shown} {plain}<a id=z {plain}{}", links(0), links(20)),
        ),
        // Each is shown by a script.
        ("a11ycheck-focus-visible", vec![], format!("{unseen}{}", format!("<a {shown} {plain}").repeat(24))),
        (
            "a11ycheck-focus-visible",
            vec!["#x"],
            format!(
                "{unseen}{}<iframe title=Form srcdoc=\"{}\"></iframe>{}<a id=x {plain}{}",
                links(0),
                links(20),
                links(40),
                links(60)
            ),
        ),
        (
            "a11ycheck-keyboard-trap",
            vec!["#x"],
            format!("{}<button id=x onblur='setTimeout(() => focus(), 5)'>X</button> {}", links(0), links(20)),
        ),
        (
            "a11ycheck-keyboard-trap",
            vec!["#x"],
            format!(
                "{}<textarea id=x aria-label=x onkeydown='event.key == `Tab` && event.preventDefault()'></textarea> {}",
                links(0),
                links(20)
            ),
        ),
        (
            "a11ycheck-keyboard-trap",
            vec![],
            format!("{}<button onfocus='document.querySelector(`a`).focus()'>X</button>", links(0)),
        ),
        // Ten presses lead out of the page and end at the trap.
        (
            "a11ycheck-keyboard-trap",
            vec!["#x"],
            format!(
                "<a href='/a'>A</a> <button id=x onblur='setTimeout(() => focus(), 5)'>X</button> {}",
                links(0).split_inclusive("</a>, ").take(5).collect::<String>()
            ),
        ),
        // Few stops, which are passed several times at once: a trap at the first of them, and none.
        ("a11ycheck-keyboard-trap", vec!["#x"], format!("<button id=x onblur='focus()'>X</button> {}", links(0))),
        ("a11ycheck-keyboard-trap", vec![], "<a href='/0'>0</a> <a href='/1'>1</a>".to_owned()),
    ];
    let site = numbered_site(pages.iter().map(|(.., body)| body.clone()).collect()).await;
    let paths: Vec<String> = (0..pages.len()).map(|number| format!("/{number}")).collect();
    let findings = scan_moving(&site, &paths, MovingProbes::EveryPage).await;
    for (index, (probe, wanted, body)) in pages.iter().enumerate() {
        let wanted: BTreeSet<String> = wanted.iter().copied().map(str::to_owned).collect();
        assert_eq!(found(&findings, probe, index), wanted, "{body}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_person_is_asked_where_wider_spacing_may_hide_text_on_purpose_and_the_page_sees_nothing_of_it() {
    const PAGES: [(&str, &str); 4] = [
        (
            "no longer in view",
            "<div style='height: 34px; font-size: 16px; line-height: 16px; overflow: hidden'><p style='margin: 0'>One<p id=x style='margin: 0'>Two</div>",
        ),
        ("on purpose", "<div class=carousel style='height: 60px; font-size: 16px; line-height: 16px; overflow: hidden'><p id=x style='margin: 0'>One<br>Two<br>Three</p></div>"),
        (
            "overlaps another",
            "<div style='position: relative; height: 60px; font-size: 16px; line-height: 16px'><p style='margin: 0'>One<br>Two<br>Three</p>
             <b id=x style='position: absolute; top: 56px; left: 0'>Below</b></div>",
        ),
        // The box hides the rest of its text anyway.
        (
            "on purpose",
            "<div style='height: 60px; font-size: 16px; line-height: 16px; overflow: hidden'><p id=x style='margin: 0'>One<br>Two<br>Three</p><p>One<br>Two<br>Three</p></div>",
        ),
    ];
    // A transition that begins with the spacing or ends with it, and whatever is written into the document.
    const WATCH: &str = "<style>* { transition: all 1s }</style>
        <script>for (const type of ['transitionrun', 'transitionend']) addEventListener(type, () => fetch('/seen'));
        new MutationObserver(() => fetch('/seen')).observe(document.documentElement, { subtree: true, attributeFilter: ['style', 'class'] })</script>";
    let site = Site::start(|request| {
        let number = request.path.trim_start_matches('/').parse::<usize>().ok();
        let body = number.and_then(|number| PAGES.into_iter().nth(number)).map_or("ok", |(_, body)| body);
        Reply::Html(page("A page of a test", &format!("{body}{WATCH}")))
    })
    .await;
    let paths: Vec<String> = (0..PAGES.len()).map(|number| format!("/{number}")).collect();
    let findings = scan_moving(&site, &paths, MovingProbes::EveryPage).await;
    let probe = RuleId::new("a11ycheck-clipped-spacing");
    for (index, (reason, body)) in PAGES.into_iter().enumerate() {
        let asked = findings.undecided.iter().filter(|item| item.page == index && item.rule == probe);
        let said: Vec<(&str, String)> = asked
            .map(|item| (item.selector.as_str(), catalog::sentence(&item.checks[0], Locale::En).unwrap()))
            .collect();
        assert!(matches!(&said[..], [("#x", sentence)] if sentence.contains(reason)), "{body}: {said:?}");
    }
    assert!(findings.items.iter().all(|item| item.rule != probe), "nothing about it is certain");
    assert_eq!(site.hits("/seen"), 0, "the page has seen it");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_person_is_asked_where_the_focus_goes_round_among_some_and_others_are_never_reached() {
    // The way begins at the first of them.
    let body = "<p onkeydown='if (event.key == \"Tab\") { event.preventDefault(); (document.activeElement == x ? y : x).focus() }'>
        <button id=x>A</button> <button id=y>B</button></p> <button>C</button>";
    let site = Site::start(move |_| Reply::Html(page("A page of a test", body))).await;
    let findings = scan_moving(&site, &["/0".to_owned()], MovingProbes::EveryPage).await;
    let probe = RuleId::new("a11ycheck-keyboard-trap");
    assert!(findings.undecided.iter().any(|item| item.rule == probe && item.selector == "#x"));
    assert!(findings.items.iter().all(|item| item.rule != probe), "either may lead out when it is pressed");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_style_sheet_of_another_site_may_show_the_focus() {
    // Something moves, so that pictures tell nothing, and the style sheet can't be read.
    let other = Site::start(|_| Reply::File("text/css", "a:focus ~ i { color: red }".into())).await;
    let body = |sheet: &str| {
        format!(
            "<style>a {{ outline: 0 }} b {{ display: block; animation: a 0.1s infinite linear }} @keyframes a {{ to {{ margin-left: 90px }} }}</style>{sheet}
             <main><a id=x href='/a'>First</a> <p>1</p><p>2</p><i>far away</i><b>moves</b></main>"
        )
    };
    let link = format!("<link rel=stylesheet href='{}'>", other.url_as("localhost", "/a.css"));
    let site = numbered_site(vec![body(""), body(&link)]).await;
    let findings = scan_moving(&site, &["/0".to_owned(), "/1".to_owned()], MovingProbes::EveryPage).await;
    let found = [0, 1].map(|page| !found(&findings, "a11ycheck-focus-visible", page).is_empty());
    assert_eq!(found, [true, false]);
}

#[tokio::test(flavor = "multi_thread")]
async fn of_each_kind_of_page_one_is_moved() {
    let site = Site::start(|_| {
        Reply::Html(page("A page of a test", "<style>a { outline: none }</style><a href='/a/1'>x</a>"))
    })
    .await;
    let paths = ["/a/1", "/a/2", "/b/1"].map(str::to_owned);
    let moved =
        |findings: &Findings| [0, 1, 2].map(|page| !found(findings, "a11ycheck-focus-visible", page).is_empty());
    let findings = scan_moving(&site, &paths, MovingProbes::OneOfEachKind).await;
    let pages = moved(&findings);
    // Pages at the same time may be of one kind.
    assert!(pages[2] && (pages[0] || pages[1]), "{pages:?}");
    assert_eq!(moved(&scan_moving(&site, &paths, MovingProbes::Off).await), [false; 3]);
}
