//! Probes: for each a page that fails, one that passes, one that nearly fails and a hostile one.

use std::{
    collections::BTreeSet,
    sync::{
        Arc,
        atomic::{AtomicU32, Ordering},
    },
};

use a11ycheck_core::{
    catalog,
    domain::{CheckOutcome, Findings, RuleId},
    id::ScanId,
    locale::Locale,
    scanner::{CancellationToken, PageList, ScanOutput, ScanRequest, Scanner as _},
};

use a11ycheck_scanner_chromium::{ChromiumScanner, MovingProbes, Opening, Reuse};

use crate::{
    moving::MOVING,
    support::{Progress, Reply, Site, config, page},
};

/// The pages of a probe. `fails` has the selectors of what fails, and the others have nothing that does.
struct Case {
    probe: &'static str,
    fails: (&'static str, &'static [&'static str]),
    passes: &'static str,
    nearly: &'static str,
    /// Fields and pictures whose names hide properties, text that is long, styles that contradict each other: it neither fails nor
    /// breaks the probe.
    hostile: &'static str,
}

const CASES: [Case; 47] = [
    Case {
        probe: "a11ycheck-field-label",
        fails: (
            "<h2>Order</h2><form><label id=x>Street <input></label> <label id=y>Street <input></label> <button>Send</button></form>",
            &["#x", "#y"],
        ),
        passes: "<form><label>Street <input></label> <label>City <input></label></form>",
        nearly: "<form><h2>Shipping</h2><label>Street <input></label><h2>Billing</h2><label>Street <input></label></form>
            <form><label>Street <input></label><label>Street <input type=number></label></form>
            <form><label>Mail <input placeholder='your own'></label><label>Mail <input placeholder='for the bill'></label></form>",
        hostile: "<form><label>Street <input name=labels></label><label hidden>Street <input></label><input name=type><label></label></form>",
    },
    Case {
        probe: "a11ycheck-identical-links",
        fails: (
            "<a href='https://example.org/'>Partners</a> <a id=x href='https://example.com/partners'>Partners</a>
             <p>Trains: <a href='/a'>more</a></p><p>Buses: <a id=y href='/b'>more</a></p>
             <svg width=90 height=20><a href='https://example.net/start'><text y=15>Example</text></a></svg>
             <a id=z href='https://example.de/about'>Example</a>",
            &["#x", "#y", "#z"],
        ),
        passes: "<a href='https://example.org/'>Partners</a> <a href='https://example.com/'>Our city</a>",
        nearly: "<a href='https://example.org/a'>Partners</a> <a href='http://www.example.org/a/index.html#top'>partners</a>
            <a href='/one'>Programme</a> <a href='/two'>Programme</a>
            <a href='https://twitter.com/a'>News</a> <a href='https://example.org/out?to=https://x.com'>News</a>
            <a href='https://example.org/help'>Help</a> <a href='https://example.com/help'>Help</a>
            <a href='/a'>more</a> <a href='/b' hidden>more</a>",
        hostile: "<form><a href='http://[bad'>A</a><a href='javascript:0'>A</a><a name=href href='/a'>A</a><input name=hostname aria-label=x></form>
            <svg><a href='//'><text>A</text></a></svg>",
    },
    Case {
        probe: "a11ycheck-enhanced-contrast",
        fails: (
            "<p id=x style='color: #666; background: #fff'>Prices and terms</p>
             <p id=y style='color: #888; background: #fff'>Prices and terms</p>
             <p id=z style='color: #777; background: linear-gradient(#fff, #000)'>Prices and terms</p>
             <p id=w style='color: #888; background: #fff; font-size: 24px'>Prices and terms</p>",
            &["#x", "#y", "#z", "#w"],
        ),
        passes: "<p style='color: #333; background: #fff'>Prices and terms</p>",
        nearly: "<p style='color: #595959; background: #fff'>Prices</p><p style='color: #767676; background: #fff; font-size: 24px'>Prices</p>
            <p style='color: #666; background: #fff'>×</p><p style='color: #666; background: #fff'>— … —</p>
            <p style='color: #444; background: linear-gradient(#777, #fff)'>Prices</p><button disabled style='color: #888'>Prices</button>",
        hostile: "<form style='color: #fff; background: #fff'>Prices <input name=style aria-label=x></form><p style='color: color(x); opacity: 0'>a b</p>",
    },
    Case {
        probe: "a11ycheck-adjacent-links",
        fails: ("<a href='/panda'><img src='data:,' alt='Panda'></a> <a id=x href='/panda'>Panda</a>", &["#x"]),
        passes: "<a href='/panda'><img src='data:,' alt=''>Panda</a>",
        nearly: "<a href='/panda'><img src='data:,' alt='Panda'></a> or read on: <a href='/panda'>Panda</a>",
        hostile: "<img name=querySelectorAll src='data:,' alt=x><a href='http://[bad'>x</a><a href='javascript:0'>x</a>",
    },
    Case {
        probe: "a11ycheck-document-link",
        fails: ("<p><a id=x href='/guide.pdf'>Style guide</a></p>", &["#x"]),
        passes: "<p><a href='/guide.pdf'>Style guide (PDF, 1 MB)</a></p>",
        nearly: "<ul><li><a href='/guide.pdf?v=2#page=3'>Style guide</a> (PDF)</ul>",
        hostile: "<a href='/x.__proto__'>A</a><a href='/constructor'>B</a><a href='/.pdf/'>C</a>",
    },
    Case {
        probe: "a11ycheck-frame-tabindex",
        fails: ("<iframe id=x title=Form tabindex=-1 srcdoc='<button>Send</button>'></iframe>", &["#x"]),
        passes: "<iframe title=Form srcdoc='<button>Send</button>'></iframe>",
        nearly: "<iframe title=Text tabindex=-1 srcdoc='<button tabindex=-1>Send</button><input disabled><a>x</a>'></iframe>",
        hostile: "<iframe title=Form tabindex='x-1' srcdoc='<form><input name=querySelectorAll></form>'></iframe>",
    },
    Case {
        probe: "a11ycheck-group-name",
        fails: ("<fieldset><legend id=x></legend><label>A <input></label><label>B <input></label></fieldset>", &["#x"]),
        passes: "<fieldset><legend>Delivery</legend><label>A <input></label></fieldset>",
        nearly: "<fieldset aria-label=Delivery><label>A <input></label><label>B <input></label></fieldset>",
        hostile: "<fieldset><div><legend></legend></div><input type=hidden><label>A <input name=parentElement></label></fieldset>",
    },
    Case {
        probe: "a11ycheck-link-text",
        fails: (
            "<p><a id=x href='/a'>Read more</a> <a id=y href='/b'>Натисніть тут</a> <a id=z href='/c'>https://example.org/c</a>
             <a id=v href='/d'>View</a> <a id=w href='/e'>Link 2</a></p>",
            &["#v", "#w", "#x", "#y", "#z"],
        ),
        passes: "<p><a href='/a'>More about mountains</a></p>",
        nearly: "<p><a href='/a' aria-label='More about mountains'>more</a> <a>here</a></p>",
        hostile: "<form><a href='/a'>Mountains</a><input name=getAttribute><input name=closest></form>",
    },
    Case {
        probe: "a11ycheck-new-window",
        fails: ("<a id=x href='/a' target=_blank>Partners</a>", &["#x"]),
        passes: "<a href='/a' target=_blank>Partners (opens in a new tab)</a>",
        nearly: "<a href='/a' target=frame>Partners</a><a href='/b' target=_BLANK>Partner <svg role=img aria-label=external></svg></a>",
        hostile: "<img name=getElementById src='data:,' alt=x><a href='/a' target=_blank aria-describedby=d>A</a><i id=d>new tab</i>",
    },
    Case {
        probe: "a11ycheck-orientation-lock",
        fails: (
            "<style>@media (orientation: landscape) { body { transform: rotate(-90deg) } #x { rotate: -45deg } } @media (orientation: portrait) { #x { rotate: 45deg } }</style>
             <style media='(orientation: portrait)'>#y { rotate: 90deg }</style>
             <style>.w { display: none } @media (max-width: 900px) and (orientation: portrait) { .w { display: block } #z { display: none } }</style>
             <p class=w>Please turn your device.</p><section id=z><div id=y><p id=x>LONGLONGLONG</p></div></section>",
            &["#x", "#y", "#z", "body"],
        ),
        passes: "<style>@media (orientation: landscape) { body { transform: rotate(0) } }</style>Text",
        nearly: "<style>@media (orientation: landscape) { #arrow { rotate: 90deg } }</style>
            <style>body { rotate: 90deg } @media screen and (orientation: portrait) { body { rotate: 90deg } }</style>
            <style>@media (orientation: portrait) { p { display: none } .narrow { display: block } } @media print and (orientation: portrait) { p { display: none } .turn { display: block } }</style>
            <i class=turn>Portrait, please turn your device</i>
            <b id=arrow>→</b><p>A text that is much longer than the arrow.</p><p class=narrow>A text that is much longer than the arrow.</p>",
        hostile: "<style>@media (orientation: portrait) { body { transform: rotate(var(--x)) } ::before { rotate: 90deg } }</style>Text",
    },
    Case {
        probe: "a11ycheck-picture-name",
        fails: (
            "<img id=x src='data:image/gif;base64,R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7' alt='IMG_1234.jpg' width=50 height=50>
             <input id=y type=image src='data:,' alt=Bild width=50 height=50><canvas id=z role=img aria-label='Image 3'></canvas>",
            &["#x", "#y", "#z"],
        ),
        passes: "<img src='data:,' alt='Our shop in the old town' width=50 height=50>",
        // Of a picture that is missing, everybody reads the name; and what is in a control that has a name is not read out.
        nearly: "<img src='data:,' alt='Picture of the year' width=50 height=50><img src='data:,' alt='' width=50 height=50>
             <img src='data:,' alt='IMG_1234.jpg' width=50 height=50>
             <button aria-label=Print><img src='data:image/gif;base64,R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7' alt='print.png' width=50 height=50></button>",
        hostile: "<form><img name=src src='data:,' alt='Two bicycles' width=50 height=50><input name=alt></form>",
    },
    Case {
        probe: "a11ycheck-role-description",
        fails: ("<div id=x aria-roledescription=slide>One</div>", &["#x"]),
        passes: "<section aria-label='1 of 5' aria-roledescription=slide>One</section>",
        nearly: "<div aria-roledescription=''>One</div><div hidden aria-roledescription=slide>Two</div>",
        hostile: "<div role='&#0; group' aria-roledescription=slide>One</div>",
    },
    Case {
        probe: "a11ycheck-text-spacing",
        fails: (
            "<p id=x style='letter-spacing: 0.1em !important'>Text</p><p id=y style='word-spacing: normal !important'>Two words</p>
             <p id=z style='line-height: 1.2 !important; width: 60px'>Text in more than one line</p>",
            &["#x", "#y", "#z"],
        ),
        passes: "<p style='letter-spacing: 0.1em; line-height: 1'>Text</p>",
        nearly: "<p style='letter-spacing: 0.12em !important'>Text</p><p style='line-height: 1 !important'>One line</p>
             <p style='word-spacing: inherit !important'>Two words</p><div style='letter-spacing: 0 !important'></div>",
        hostile: "<form style='letter-spacing: 1em !important'>Text <input name=style></form>",
    },
    Case {
        probe: "a11ycheck-autoplay",
        fails: ("<audio id=x autoplay loop src='/tone.wav'></audio>", &["#x"]),
        passes: "<audio autoplay loop controls src='/tone.wav'></audio>",
        nearly: "<audio autoplay loop muted src='/tone.wav'></audio><audio autoplay src='/tone.wav'></audio><audio autoplay></audio>",
        hostile: "<form><audio autoplay loop src='/tone.wav'></audio><button>Stop</button><input name=duration></form>",
    },
    Case {
        probe: "a11ycheck-part-language",
        fails: (
            "<script>document.body.lang = 'pl'</script>We sell what we have made, and what others have made for us in the villages around the town. If you have found
             something that you like, we keep it for you until you come, and we are happy to tell you who has made it and how.
             <p id=x lang=pl>Our shop has been selling bicycles in the old town for more than thirty years. We repair what can be
             repaired, we lend what you need for a weekend, and we are happy to show you how to look after your bicycle.</p>",
            &["#x", "body"],
        ),
        passes: "<p lang=pl>Nasz sklep sprzedaje rowery na starym mieście od ponad trzydziestu lat i chętnie je naprawia.</p>",
        nearly: "<p lang=fr>Search results for bicycles</p>",
        hostile: "<p lang='x-\u{ffff}'>Text</p><p lang=en-en-en-en>\u{202e}Text of no great length</p>",
    },
    Case {
        probe: "a11ycheck-justified-text",
        fails: ("<p id=x style='text-align: justify; width: 200px'>LONG</p>", &["#x"]),
        passes: "<p style='width: 200px'>LONG</p>",
        nearly: "<p style='text-align: justify; width: 4000px'>LONG</p>",
        hostile: "<p style='text-align: justify; line-height: 0; font-size: 0'>LONG</p>",
    },
    Case {
        probe: "a11ycheck-accesskey",
        fails: ("<a id=x href='/s' accesskey=s>Search</a>", &["#x"]),
        passes: "<a href='/s'>Search</a>",
        nearly: "<a href='/s' accesskey=''>Search</a><a href='/s' accesskey=s hidden>Search</a>",
        hostile: "<form accesskey=' '><input name=getAttribute aria-label=x></form>",
    },
    Case {
        probe: "a11ycheck-css-content",
        fails: ("<style>#x::after { content: 'Sold out' }</style><p id=x>Tickets</p>", &["#x"]),
        passes: "<p>Tickets: sold out</p>",
        nearly: "<style>p::before { content: '→ ' } @media print { p::after { content: 'printed' } }</style><p>Tickets</p>",
        hostile: "<style>::before { content: '\\22 ' } :is(::after) { content: 'words' } p:hover::after { content: 'words' }</style><p>Tickets</p>",
    },
    Case {
        probe: "a11ycheck-placeholder-label",
        fails: (
            "<form><div><input id=x placeholder='First name'></div><div><input id=y placeholder='Last name' aria-label='Last name'></div><button>Send</button></form>
             <form><p><input id=z placeholder='Name of your pet'></p><p><button>Register</button></p></form>",
            &["#x", "#y", "#z"],
        ),
        passes: "<form><label>First name <input placeholder=Ada></label><label for=l>Last name</label><input id=l placeholder=Lovelace></form>",
        nearly: "<form><input placeholder='E-mail address'><button>Subscribe</button></form><form><input type=search placeholder=Search></form>
                 <form><b>Street</b><div><input placeholder='Main Street 1'></div><input placeholder=' ' aria-label=Town></form>
                 <form><input id=f placeholder=Town><label for=f style='opacity:0'>Town</label><input aria-label=x></form>",
        hostile: "<form><label>A <input name=getAttribute placeholder=x></label><label>B <input name=parentElement placeholder=y></label></form>",
    },
    Case {
        probe: "a11ycheck-nested-controls",
        fails: ("<a id=x href='/a'><button>Buy</button></a><a id=y href='/b'>Big <span role=button tabindex=0>Menu</span></a>", &["#x", "#y"]),
        passes: "<a href='/a'>Buy</a><button>Buy</button>",
        nearly: "<a href='/a'>Buy <button hidden>Now</button><input type=hidden></a><a><button>Buy</button></a>",
        hostile: "<a href='/a'><form><input name=querySelectorAll type=hidden></form></a><a href=''><svg><a href=x></a></svg></a>",
    },
    Case {
        probe: "a11ycheck-small-text",
        fails: ("<p id=x style='font-size:9px'>The small print of a contract</p>", &["#x"]),
        passes: "<p>The small print of a contract</p>",
        nearly: "<p style='font-size:10px'>The small print of a contract</p><p style='font-size:5px'>12.10.2026</p>
                 <p>Words<sup style='font-size:8px'>the note of an editor</sup></p><p hidden style='font-size:1px'>The small print of a contract</p>",
        hostile: "<p style='font-size:0'>The small print of a contract</p><form style='font-size:1px'><input name=childNodes aria-label=x></form>",
    },
    Case {
        probe: "a11ycheck-paste-blocked",
        fails: ("<label>Account <input id=x onpaste='return false'></label><label>Again <input id=y onpaste='event.preventDefault(); alert(`No`)'></label>
                 <label>Once more <input id=z onpaste='return event.preventDefault(),!1'></label>", &["#x", "#y", "#z"]),
        passes: "<label>Account <input></label>",
        nearly: "<label>Code <input onpaste='event.preventDefault(); this.value = event.clipboardData.getData(`text`)'></label><label>A <input onpaste='if (full) return false'></label>
                 <label>B <input disabled onpaste='return false'></label><div onpaste='return false'>C</div><label>D <input onpaste='// return false'></label><label><input type=checkbox onpaste='return false'> G</label><input type=submit onpaste='return false'><label>H <input readonly onpaste='return false'></label>
                 <label>E <input onpaste='event.preventDefault(), fill(event)'></label><label>F <input onpaste='full && event.preventDefault()'></label>
                 <label>I <input onpaste='return fill(event), false'></label><label>J <input onpaste='return full ? false : true'></label>",
        hostile: "<form><input name=matches aria-label=x onpaste='event[`prevent` + `Default`]()'></form>",
    },
    Case {
        probe: "a11ycheck-italic-text",
        fails: ("<p id=x style='font-style:italic'>LONG</p><p><em id=y>LONG</em></p>", &["#x", "#y"]),
        passes: "<p>LONG</p>",
        nearly: "<p>LONG<em>One word of many</em></p><p style='font-style:italic'>A short quotation from a book that is known to nobody, and that is long enough to be a paragraph of its own here.</p>
                 <p hidden style='font-style:italic'>LONG</p>",
        hostile: "<form style='font-style:oblique'><input name=childNodes aria-label=x></form>",
    },
    Case {
        probe: "a11ycheck-long-lines",
        fails: ("<p id=x style='font:12px monospace;width:1100px'>LONG</p>", &["#x"]),
        passes: "<p style='font:12px monospace;width:70ch'>LONG</p>",
        nearly: "<p style='font:12px monospace;width:1100px'>A line that is long, but only one, and so nobody has to find the beginning of another one after it, whatever its width may be.</p>
                 <div style='font:12px monospace;width:1100px'>LONG<p style='width:70ch'>LONG</p></div><p style='font:12px monospace;width:1100px;columns:2'>LONG</p>",
        hostile: "<p style='line-height:0;font-size:0'>LONG</p><form><input name=querySelectorAll aria-label=x></form>",
    },
    Case {
        probe: "a11ycheck-placeholder-contrast",
        fails: (
            "<style>#x::placeholder { color: #bbb } #x, #y { background: #fff; color: #000 } #y::placeholder { color: #000; opacity: .3 }</style>
             <label>Town <input id=x placeholder='Such as Leeds'></label><label>Notes <textarea id=y placeholder='What we should know'></textarea></label>",
            &["#x", "#y"],
        ),
        passes: "<label>Town <input placeholder='Such as Leeds'></label>",
        nearly: "<style>::placeholder { color: #bbb } .a::placeholder { color: transparent } .b { font-size: 30px } .b::placeholder { color: #8a8a8a } .c { background: #bbb } .d { background: none }</style>
                 <label>A <input placeholder='Such as Leeds' value=Leeds></label><label>B <input placeholder='Such as Leeds' disabled></label><label>C <input class=a placeholder='Such as Leeds'></label>
                 <label>D <input class=b placeholder='Such as Leeds'></label><label>E <input placeholder=' '></label><label>G <input class=c placeholder='Such as Leeds'></label><label>H <input class=d placeholder='Such as Leeds'></label><label>F <input placeholder='Such as Leeds' style='background: linear-gradient(#000, #333)'></label>",
        hostile: "<style>::placeholder { color: color(xyz 1 1 1); opacity: calc(1 / 0) }</style><svg><input placeholder='Such as Leeds' /></svg><form><label>A <input name=placeholder placeholder=x></label></form>",
    },
    Case {
        probe: "a11ycheck-frame-name",
        fails: ("<iframe id=x title='iframe 2' srcdoc=Text></iframe><iframe id=y title='map.html' srcdoc=Text></iframe>", &["#x", "#y"]),
        passes: "<iframe title='Map of our shops' srcdoc=Text></iframe>",
        nearly: "<iframe srcdoc=Text></iframe><iframe title='Frames and glasses' srcdoc=Text></iframe><iframe title=Frame hidden srcdoc=Text></iframe>",
        hostile: "<iframe title='\u{0}' srcdoc='<title>iframe</title>'></iframe><form><input name=title aria-label=x></form>",
    },
    Case {
        probe: "a11ycheck-broken-anchor",
        fails: ("<a href='/'>Home</a><a href='/a'>A</a><a href='/b'>B</a><p>Read about <a id=x href='#fees'>the fees</a> and <a href='#dates'>the dates</a>.</p><h2 id=dates>Dates</h2>", &["#x"]),
        passes: "<a href='/'>Home</a><a href='/a'>A</a><a href='/b'>B</a><a href='#dates'>Dates</a><h2 id=dates>Dates</h2>",
        // To the top, to a part of an application, and what scripts know or look for.
        nearly: "<a href='/'>Home</a><a href='/a'>A</a><a href='/b'>B</a><a href='#top'>Up</a> <a href='#'>Up</a> <a href='#/fees'>Fees</a> <a href='#old'>Old</a><a name=old></a>
                 <a href='#fees' onclick='0'>Fees</a> <a href='#fees' data-go=1>Fees</a> <a href='#x'>There</a><i id=x></i> <a href='#menu'>Menu</a> <a href='#map'>Map</a><script>'#map'</script>",
        hostile: "<a href='/'>Home</a><a href='/a'>A</a><a href='/b'>B</a><a href='#%E0%A4%A'>A</a><a href='#]&quot;'>B</a><form><a href='#elements'>C</a><input name=elements id=elements aria-label=x></form>",
    },
    Case {
        probe: "a11ycheck-unseparated-links",
        fails: ("<p><a href='/a'>Fees</a> <a id=x href='/b'>Dates</a> <a href='/c'>Forms</a> <a href='/d'>Maps</a></p>", &["#x"]),
        passes: "<p><a href='/a'>Fees</a> | <a href='/b'>Dates</a> | <a href='/c'>Forms</a></p><ul><li><a href='/a'>Fees</a><li><a href='/b'>Dates</a></ul>",
        nearly: "<p><a href='/a'>Fees</a> <a href='/b'>Dates</a></p><p><a href='/a'>Fees</a> <a href='/b'>Dates</a> and <a href='/c'>Forms</a></p>
                 <style>.m a { margin-left: 1em } .n a { text-decoration: none } .o a { display: inline-block } .s a::before { content: '| ' }</style><p class=m><a href='/a'>Fees</a> <a href='/b'>Dates</a> <a href='/c'>Forms</a></p>
                 <p class=n><a href='/a'>Fees</a> <a href='/b'>Dates</a> <a href='/c'>Forms</a></p><p class=o><a href='/a'>Fees</a> <a href='/b'>Dates</a> <a href='/c'>Forms</a></p><p class=s><a href='/a'>Fees</a> <a href='/b'>Dates</a> <a href='/c'>Forms</a></p>
                 <p><a href='/a'>Fees</a><br><a href='/b'>Dates</a><br><a href='/c'>Forms</a></p><p><a href='/a'>Fees</a> <a href='/a'>of</a> <a href='/a'>all kinds</a></p>",
        hostile: "<form><a href='/a'></a><a href='/b'><input name=previousSibling aria-label=x></a></form><p style='font-size: 0'><a href='/a'>A</a> <a href='/b'>B</a></p>",
    },
    Case {
        probe: "a11ycheck-tight-lines",
        fails: ("<p id=x style='line-height:1;width:20em'>Many words that stand in several lines one right below the other, so that their letters nearly touch each other.</p>", &["#x"]),
        passes: "<p style='width:20em'>Many words that stand in several lines one right below the other, with as much room as the browser gives to them.</p>",
        nearly: "<p style='line-height:1.2;width:20em'>Many words that stand in several lines one right below the other, with a little room between each of them.</p>
                 <p style='line-height:1;white-space:nowrap'>Many words that stand in one line, which is as long as it has to be for all of these words to have their place.</p>",
        hostile: "<div style='line-height:0;width:9em'><input name=textContent aria-label=x></div><p style='line-height:-1'></p>",
    },
    Case {
        probe: "a11ycheck-field-hint",
        fails: ("<label for=x>Number</label><p class=form-hint>It is on your payslip.</p><input id=x>", &["#x"]),
        passes: "<label for=x>Number</label><p class=form-hint id=h>It is on your payslip.</p><input id=x aria-describedby=h>",
        nearly: "<label for=x>Number</label><p class=whinty>Next to it</p><input id=x>",
        hostile: "<form><label>A <input name=labels></label><p class=hint></p><input name=contains aria-label=x></form>",
    },
    Case {
        probe: "a11ycheck-error-message",
        fails: ("<form><label for=a>Phone</label><input id=a><span id=x class=error-message>is not valid</span></form>", &["#x"]),
        passes: "<form><label for=a>Phone</label><input id=a><span class=error-message>Phone: enter ten digits</span></form>",
        nearly: "<form><label for=a>Phone</label><input id=a></form><p>is not valid</p>",
        hostile: "<form class=error><input name=contains aria-label=x class=invalid><i class=error></i></form>",
    },
    Case {
        probe: "a11ycheck-header-cells",
        fails: ("<table><tr><th>Day<th>Price<th id=x scope=row>Note<tr><td>Mon<td>5<td>-<tr><td>Tue<td>6<td>-</table>", &["#x"]),
        passes: "<table><tr><th>Day<th>Price<tr><td>Mon<td>5</table>",
        nearly: "<table><tr><th id=h>Day<th>Price<tr><td headers=h>Mon<td>5</table><table><tr><th>A</table>",
        hostile: "<table><tr><th rowspan=99999 colspan=0>A<td>B<tr></table><table role=grid><tr role=row></table>",
    },
    Case {
        probe: "a11ycheck-label-in-name",
        fails: (
            "<button id=x aria-label='Fetch the file'>Download</button><a id=y href='/a' aria-label='Order now send'>Send order</a>
             <a id=z href='/a' aria-label=WCAG>W C A G</a><a id=w href='/a' aria-label='Code 0 1 2 3'>Code 0123</a>",
            &["#x", "#y", "#z", "#w"],
        ),
        passes: "<button aria-label='Send the order'>Send</button>",
        nearly: "<button aria-label=Close>X</button><button aria-label='Nonstandard sizes'>Non-standard</button><button aria-label='Save'>Save (beta)</button><a href='/a' aria-label='November 3'>Nov 3</a>",
        hostile: "<form><button aria-label='Send it'>Send</button><input name=childNodes aria-label=x></form><button aria-labelledby='b' id=b aria-label=x>x</button>",
    },
    Case {
        probe: "a11ycheck-link-context",
        fails: ("<div><p><a id=x href='/a'>Read more</a></p></div>", &["#x"]),
        passes: "<p>The mountains are high. <a href='/a'>Read more</a></p>",
        nearly: "<ul><li>Mountains <ul><li><a href='/a'>Read more</a></ul></ul><table><tr><td><a href='/b'>more</a></table><p><img src='data:,' alt=Mountains><a href='/c'>more</a></p>",
        hostile: "<form><a href='/a' aria-describedby=nothing>here</a><input name=parentElement aria-label=x></form>",
    },
    Case {
        probe: "a11ycheck-needless-tab-stop",
        fails: ("<p id=x tabindex=0>My car</p>", &["#x"]),
        passes: "<p>My car</p>",
        nearly: "<p tabindex=-1>My car</p><div tabindex=0 role=button>Go</div><p tabindex=0 role='press button'>Go</p><div role=feed><article tabindex=0 aria-label=News>Text</article></div><table role=grid aria-label=Days><tr tabindex=0 aria-label=Monday><td>One</table><div tabindex=0 style='height: 20px; overflow: auto'>LONG</div><p tabindex=0 onclick='0'>x</p>",
        hostile: "<form tabindex='x0'><input name=getAttributeNames aria-label=x></form><x-y tabindex=0>a</x-y>",
    },
    Case {
        probe: "a11ycheck-old-markup",
        fails: ("<center id=x>Text</center>", &["#x"]),
        passes: "<p>Text</p>",
        nearly: "<p hidden></p><p><img src='data:,' alt=x></p><p id=y></p><p aria-live=polite></p>",
        hostile: "<form><input name=textContent aria-label=x></form><svg><font></font></svg>",
    },
    Case {
        probe: "a11ycheck-picture-contradiction",
        fails: ("<img id=x src='data:,' alt=Panda title=Bear width=9 height=9><img id=y src='data:,' alt=Panda role=presentation width=9 height=9>", &["#x", "#y"]),
        passes: "<img src='data:,' alt=Panda width=9 height=9>",
        nearly: "<img src='data:,' alt=Panda title='panda!' width=9 height=9><img src='data:,' alt='' role=none width=9 height=9>",
        hostile: "<form title=x><img name=title src='data:,' alt=x title='' width=9 height=9></form>",
    },
    Case {
        probe: "a11ycheck-required-state",
        fails: (
            "<div id=x role=switch tabindex=0>News</div><div id=y role=slider tabindex=0 aria-label=Size aria-valuenow=''></div><p id=z role='tickbox checkbox' tabindex=0>News</p>",
            &["#x", "#y", "#z"],
        ),
        passes: "<div role=switch aria-checked=false tabindex=0>News</div>",
        nearly: "<input type=checkbox role=switch aria-label=News><div role=option>One</div><input role=combobox aria-expanded=false aria-owns=l aria-label=x>",
        hostile: "<form role=form><input name=type type=range role=slider aria-label=x></form><div role='x checkbox' hidden></div>",
    },
    Case {
        probe: "a11ycheck-summary-name",
        fails: ("<details><summary id=x></summary>Text</details>", &["#x"]),
        passes: "<details><summary>Hours</summary>Text</details>",
        nearly: "<details><summary><img src='data:,' alt=Hours></summary>Text</details><details><summary>A</summary><summary></summary></details><summary></summary>",
        hostile: "<details><summary role='none'>Hours</summary><form><input name=children aria-label=x></form></details>",
    },
    Case {
        probe: "a11ycheck-table-markup",
        fails: ("<p>x</p><table id=x><tr><td>Day<td>Price<tr><td>Mon<td>5</table>", &["#x"]),
        passes: "<table><caption>Prices</caption><tr><th>Day<th>Price<tr><td>Mon<td>5</table>",
        nearly: "<table role=presentation><tr><td>Day<td>Price<tr><td>Mon<td>5</table><table><tr><td>Just<td>one</table>",
        hostile: "<table><caption></caption><tr><tr><td><form><input name=rows aria-label=x></form></table>",
    },
    Case {
        probe: "a11ycheck-text-structure",
        fails: ("<p id=x>• Flour<br>• Eggs<br>• Milk</p>", &["#x"]),
        passes: "<ul><li>Flour<li>Eggs</ul>",
        nearly: "<p>1. Flour<br>and so on</p><p>– he said – and went.</p>",
        hostile: "<form><input name=childNodes aria-label=x></form><p>•••</p><p>LONG</p>",
    },
    Case {
        probe: "a11ycheck-autoplay-sound",
        fails: ("<audio id=x autoplay controls src='/long.wav'></audio>", &["#x"]),
        passes: "<audio controls src='/long.wav'></audio>",
        nearly: "<audio autoplay controls src='/tone.wav'></audio><audio autoplay muted src='/long.wav'></audio>
                 <audio autoplay src='/long.wav' ontimeupdate='this.currentTime > 1 && this.pause()'></audio>",
        hostile: "<form><audio autoplay src='/missing.wav'></audio><input name=duration aria-label=x></form>",
    },
    Case {
        probe: "a11ycheck-reduced-motion",
        fails: (
            "<style>@keyframes a { to { transform: translateX(200px) } } #x { animation: a 2s linear infinite }
             @keyframes b { 50% { opacity: 0 } } #y { animation: b 1s steps(1) infinite }</style><p id=x>News</p><b id=y>The last places</b>",
            &["#x", "#y"],
        ),
        passes: "<style>@keyframes a { to { transform: translateX(200px) } }
            @media (prefers-reduced-motion: no-preference) { p { animation: a 2s linear infinite } }</style><p>News</p>",
        nearly: "<style>@keyframes a { to { transform: translateX(200px) } } @keyframes b { to { color: #000 } }
            p { animation: a 2s linear } i { animation: b 2s infinite } b { animation: a 2s infinite paused }
            u { display: inline-block; animation: a 1s infinite } @keyframes c { 50% { opacity: .5 } } @keyframes d { 50% { opacity: 0 } }
            em { animation: c 1s infinite } s { animation: d 1s 3 } q { animation: d 1s infinite }</style>
            <p>News</p><i>x</i><b>y</b><u class=spinner>loading</u><em>pulses</em><s>blinks thrice</s><q>|</q>",
        hostile: "<form><input name=getAnimations aria-label=x></form><style>@keyframes a { to { rotate: 1turn } } .z { animation: a 0.1s infinite }</style>
            <b class=z style='display: none'>x</b><script>for (let i = 0; i < 900; i += 1) document.head.animate([{ left: 0 }, { left: '1px' }], { duration: 1e300, iterations: Infinity })</script>",
    },
    Case {
        probe: "a11ycheck-capital-text",
        fails: (
            "<p id=x>PLEASE READ ALL OF THIS BEFORE YOU ORDER ANYTHING, SINCE IT SAYS WHAT IS AND WHAT IS NOT IN THE PRICE.</p>
             <p id=y style='text-transform: uppercase'>Please read all of this before you order anything, since it says what is in the price.</p>",
            &["#x", "#y"],
        ),
        passes: "<p>Please read all of this before you order anything, since it says what is and what is not in the price.</p>",
        nearly: "<p>PLEASE READ THIS BEFORE YOU ORDER.</p><pre>SELECT A, B, C, D, E, F, G, H FROM ORDERS WHERE PRICE IS NOT NULL AND NAME LIKE ANYTHING</pre>
            <p>一二三四五六七八九十一二三四五六七八九十一二三四五六七八九十一二三四五六七八九十一二三四五六七八九十一二三四五六七八九十一二三四五六七八九十</p>",
        hostile: "<form>ẞẞẞ <input name=childNodes aria-label=x></form><p>\u{202e}\u{0301}\u{0301}</p>",
    },
    Case {
        probe: "a11ycheck-script-link",
        fails: ("<a id=x href='javascript:void(0)'>Show all</a> <a id=y href=' JavaScript:open()'>Help</a>", &["#x", "#y"]),
        passes: "<button>Show all</button> <a href='/all'>All</a>",
        nearly: "<a href='javascript:0' role=button>Show</a> <a href='/javascript:0'>Scripts</a> <a href='javascript:0' hidden>x</a>",
        hostile: "<form><a href='/a'>A</a><input name=getAttribute aria-label=x></form><svg><a href='javascript:0'><text y=9>A</text></a></svg>",
    },
    Case {
        probe: "a11ycheck-focus-removed",
        fails: (
            "<a id=x href='/a' onfocus='if (this.blur) this.blur();'>Map</a> <button id=y onfocus='blur(); return false'>Menu</button>",
            &["#x", "#y"],
        ),
        passes: "<a href='/a' onfocus='this.className = `here`'>Map</a>",
        nearly: "<a href='/a' onmousedown='this.blur()'>Map</a> <a href='/b' tabindex=-1 onfocus='this.blur()'>Plan</a>
                 <input aria-label=x onfocus='if (this.readOnly) this.blur()'> <button disabled onfocus='this.blur()'>Menu</button>",
        hostile: "<form onfocus='this.blur()'><input name=getAttribute aria-label=x><input name=matches aria-label=y></form><p onfocus='blur('>x</p>",
    },
    Case {
        probe: "a11ycheck-symbol-letters",
        fails: (
            "<p id=x>Our \u{1d5e6}\u{1d5ee}\u{1d5f9}\u{1d5f2} begins</p><p id=y>\u{24c8}\u{24d0}\u{24db}\u{24d4}</p>",
            &["#x", "#y"],
        ),
        passes: "<p>Our <b>sale</b> begins</p>",
        nearly: "<p>The set \u{211d} and the vector \u{1d42f}</p><math><mi>\u{1d5e6}\u{1d5ee}\u{1d5f9}\u{1d5f2}</mi></math>
                 <p><span role=img aria-label=Sale>\u{1d5e6}\u{1d5ee}\u{1d5f9}\u{1d5f2}</span></p><p>\u{1f1fa}\u{1f1e6}\u{1f1e9}\u{1f1ea}</p><p>Ｓａｌｅ</p>
                 <p>\u{24b6} \u{24b7} \u{24b8} \u{24b9} \u{24ba}</p><p>\u{1d434}\u{1d435}\u{1d436}\u{1d437} has two diagonals</p><p>\u{1d6fc}\u{1d6fd}\u{1d6fe}\u{1d6ff}</p>",
        hostile: "<form><input name=body aria-label=x></form><script>document.body.append('\\u{1d5e6} '.repeat(3), '\\ud835'.repeat(999))</script>",
    },
];

/// Returns so many seconds of silence.
fn tone(seconds: u32) -> Vec<u8> {
    let rate = 8_000_u32;
    let bytes = rate * seconds;
    let mut wave = b"RIFF".to_vec();
    wave.extend((36 + bytes).to_le_bytes());
    wave.extend(b"WAVEfmt \x10\0\0\0\x01\0\x01\0");
    wave.extend(rate.to_le_bytes());
    wave.extend(rate.to_le_bytes());
    wave.extend(b"\x01\0\x08\0data");
    wave.extend(bytes.to_le_bytes());
    wave.resize(wave.len() + usize::try_from(bytes).unwrap(), 0x80);
    wave
}

fn answer(path: &str) -> Reply {
    let long = "A text of several sentences that fills more than two lines in a narrow column. ".repeat(4);
    let mut parts = path.trim_start_matches('/').split('/');
    let (probe, kind) = (parts.next().unwrap_or_default(), parts.next().unwrap_or_default());
    let Some(case) = CASES.iter().find(|case| case.probe == probe) else {
        return match path {
            "/tone.wav" => Reply::File("audio/wav", tone(1)),
            "/long.wav" => Reply::File("audio/wav", tone(5)),
            _ => Reply::Html(page("Home", "ok")),
        };
    };
    let body = match kind {
        "fails" => case.fails.0,
        "passes" => case.passes,
        "nearly" => case.nearly,
        _ => case.hostile,
    };
    Reply::Html(page("A page of a test", &body.replace("LONG", &long)))
}

/// Returns a site whose pages have these bodies, by their numbers.
pub(crate) async fn numbered_site(bodies: Vec<String>) -> Site {
    Site::start(move |request| {
        let number = request.path.trim_start_matches('/').parse::<usize>().ok();
        Reply::Html(page("A page of a test", number.and_then(|number| bodies.get(number)).map_or("ok", String::as_str)))
    })
    .await
}

async fn scan_all(site: &Site, paths: &[String]) -> Findings {
    scan_moving(site, paths, MovingProbes::Off).await
}

pub(crate) async fn scan_moving(site: &Site, paths: &[String], moving: MovingProbes) -> Findings {
    output_of(site, paths, moving).await.findings
}

async fn output_of(site: &Site, paths: &[String], moving: MovingProbes) -> ScanOutput {
    let scanner = ChromiumScanner::new(
        config().with_moving_probes(moving).with_enhanced_contrast(true).with_measured_contrast(true),
    )
    .unwrap();
    let pages = PageList::new(paths.iter().map(|path| site.url(path).parse().unwrap())).unwrap();
    let request = ScanRequest::of_pages(ScanId::generate(chrono::Utc::now()), pages);
    let output = scanner.scan(request, &Progress::default(), CancellationToken::new()).await.unwrap();
    scanner.close().await;
    let failed = output.findings.pages.iter().filter_map(|page| Some((&page.url, page.error.as_ref()?)));
    assert_eq!(failed.collect::<Vec<_>>(), []);
    assert_eq!(unsaid(&output.findings), BTreeSet::new(), "the catalogue has no sentences for these");
    output
}

/// Returns what has no sentence in some language: of what a person is asked to check, and of what fails where the probe has sentences
/// of its own for that.
fn unsaid(findings: &Findings) -> BTreeSet<String> {
    let told: Vec<_> = catalog::check_messages().map(|(check, outcome, _)| (check, outcome)).collect();
    let checks = findings.items.iter().chain(&findings.undecided).flat_map(|finding| &finding.checks);
    checks
        .filter(|check| catalog::is_probe(&check.id))
        .filter(|check| check.outcome == CheckOutcome::Incomplete || told.contains(&(check.id.as_str(), check.outcome)))
        .filter(|check| Locale::ALL.into_iter().any(|locale| catalog::sentence(check, locale).is_none()))
        .map(|check| format!("{check:?}"))
        .collect()
}

/// Returns the selectors of what a probe found on a page.
pub(crate) fn found(findings: &Findings, probe: &str, page: usize) -> BTreeSet<String> {
    let of_page = findings.items.iter().filter(|item| item.page == page && item.rule == RuleId::new(probe));
    of_page.map(|item| item.selector.clone()).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_probe_finds_its_barrier_and_accuses_nobody_who_is_near_it() {
    let site = Site::start(|request| answer(&request.path)).await;
    let kinds = ["fails", "passes", "nearly", "hostile"];
    let paths: Vec<String> =
        CASES.iter().flat_map(|case| kinds.map(|kind| format!("/{}/{kind}", case.probe))).collect();
    let output = output_of(&site, &paths, MovingProbes::Off).await;
    assert_eq!(without_outcome(&output, &paths), Vec::<String>::new());
    let findings = output.findings;
    let mut wrong = Vec::new();
    for (case, first) in CASES.iter().zip((0..).step_by(kinds.len())) {
        let wanted: BTreeSet<String> = case.fails.1.iter().map(|&selector| selector.to_owned()).collect();
        for (offset, kind) in kinds.iter().enumerate() {
            let found = found(&findings, case.probe, first + offset);
            let right = if *kind == "fails" { found == wanted } else { found.is_empty() };
            if !right {
                wrong.push(format!("{} {kind}: {found:?}", case.probe));
            }
        }
    }
    assert_eq!(wrong, Vec::<String>::new());
    let ran = findings.ran.unwrap();
    for (probe, _) in catalog::probes().filter(|(probe, _)| !is_elsewhere(probe)) {
        assert!(ran.contains(probe), "{probe} did not run");
    }
}

/// Returns whether a probe runs only where something else is asked for.
fn is_elsewhere(probe: &str) -> bool {
    MOVING.contains(&probe) || OPENING.contains(&probe) || probe == "a11ycheck-script-sound"
}

/// Returns the probes that say nothing of a page, with the page: a script that fails would look like a page without the barrier.
fn without_outcome(output: &ScanOutput, paths: &[String]) -> Vec<String> {
    let findings = &output.findings;
    assert_eq!(output.rule_outcomes.len(), paths.len());
    let mut missing = Vec::new();
    for (page, (path, outcomes)) in paths.iter().zip(&output.rule_outcomes).enumerate() {
        for (probe, _) in catalog::probes().filter(|(probe, _)| !is_elsewhere(probe)) {
            let has_passed = outcomes.passed.contains(probe) || outcomes.inapplicable.contains(probe);
            let mut named = findings.items.iter().chain(&findings.undecided).filter(|item| item.page == page);
            if !has_passed && !named.any(|item| item.rule == RuleId::new(probe)) {
                missing.push(format!("{probe} on {path}"));
            }
        }
    }
    missing
}

#[tokio::test(flavor = "multi_thread")]
async fn elements_in_a_drawing_that_are_called_like_those_of_html_break_no_probe() {
    let body = "<svg width=300 height=300></svg><script>
        const names = 'a area audio button canvas embed fieldset frame iframe img input label legend li link object option select summary table td textarea th title track ul video';
        const attributes = { alt: 'x', autoplay: '', 'aria-label': 'x', autocomplete: 'name', controls: '', draggable: 'true', headers: 'h', href: '#h', id: 'h', lang: 'de', name: 'n',
            placeholder: 'Such as 1', role: 'button', src: '/captcha.png', style: 'color: red !important', tabindex: '-1', target: '_blank', title: 'x', type: 'radio' };
        const drawing = document.querySelector('svg');
        for (const name of names.split(' ')) {
            const element = drawing.appendChild(document.createElementNS('http://www.w3.org/2000/svg', name));
            for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
            element.append('Text');
        }
        </script>";
    // As many as are compared with each other.
    let site = numbered_site(vec![body.to_owned(); 4]).await;
    let paths = ["/0", "/1", "/2", "/3"].map(str::to_owned);
    let output = output_of(&site, &paths, MovingProbes::OneOfEachKind).await;
    assert_eq!(without_outcome(&output, &paths), Vec::<String>::new());
}

#[tokio::test(flavor = "multi_thread")]
async fn the_title_and_the_language_of_a_page_are_held_against_its_words() {
    let words = "Our shop has been selling bicycles in the old town for more than thirty years. We repair what can be repaired, \
        we lend what you need for a weekend, and we are happy to show you how to look after your own bicycle.";
    let document = |lang: &str, title: &str, body: &str| {
        format!("<!DOCTYPE html><html lang={lang}><title>{title}</title><main><h1>Shop</h1><p>{body}</p></main></html>")
    };
    let quote = format!("Un mot. <blockquote lang=en>{words}</blockquote>");
    let pages = [
        document("fr", "Untitled document", words),
        document("en", "Bicycles", words),
        document("fr", "Document library", &quote),
        document("en", "index.html", "x<form><input name=lang></form><embed name=title>"),
        "<!DOCTYPE html><html lang=en><title>Shop of Arkham</title><h1>Opening hours and prices of the Shop of Arkham</h1></html>".to_owned(),
        "<!DOCTYPE html><html lang=en><title>Shop of Arkham</title><h1>Welcome to the Shop of Arkham</h1></html>".to_owned(),
        document("en", "Harvesting apples", words),
        document("en", "Bicycle repairs in town", words),
        "<!DOCTYPE html><html lang=de><title>On the boats</title><p>It was the best of times for all who had been there.</html>".to_owned(),
        "<!DOCTYPE html><html lang=en><title>Auf dem See</title><img alt='Ein Boot auf dem See und nicht weit von der Insel' src='data:,'></html>".to_owned(),
        "<!DOCTYPE html><html lang=de><title>Kontakt</title><p>Impressum Datenschutz Anmelden Warenkorb Suche Fahrräder Ersatzteile Werkstatt Verleih Öffnungszeiten Anfahrt Stellenangebote Angebote Marken Zubehör Gutscheine <p>It is what it is and was.</html>".to_owned(),
        document("en", "Home", words),
    ];
    let site = Site::start(move |request| {
        let number = request.path.trim_start_matches('/').parse::<usize>().unwrap_or(0);
        Reply::Html(pages[number].clone())
    })
    .await;
    let paths: Vec<String> = (0..12).map(|number| format!("/{number}")).collect();
    let findings = scan_all(&site, &paths).await;
    let pages_of = |probe| (0..12).filter(|page| !found(&findings, probe, *page).is_empty()).collect::<Vec<_>>();
    assert_eq!(pages_of("a11ycheck-page-language"), [0, 8, 9]);
    assert_eq!(pages_of("a11ycheck-title-placeholder"), [0, 3, 4]);
    let asked = findings.undecided.iter().filter(|item| item.rule == RuleId::new("a11ycheck-title-placeholder"));
    assert_eq!(asked.map(|item| item.page).collect::<Vec<_>>(), [2, 6, 11]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_contrast_of_7_is_recommended_only_where_it_is_asked_for() {
    let site =
        Site::start(|_| Reply::Html(page("A page of a test", "<p style='color: #767676'>Opening hours</p>"))).await;
    for is_asked in [false, true] {
        let scanner = ChromiumScanner::new(config().with_enhanced_contrast(is_asked)).unwrap();
        let pages = PageList::new([site.url("/").parse().unwrap()]).unwrap();
        let request = ScanRequest::of_pages(ScanId::generate(chrono::Utc::now()), pages);
        let output = scanner.scan(request, &Progress::default(), CancellationToken::new()).await.unwrap();
        scanner.close().await;
        let probe = "a11ycheck-enhanced-contrast";
        assert_eq!(!found(&output.findings, probe, 0).is_empty(), is_asked);
        assert_eq!(output.findings.ran.unwrap().contains(probe), is_asked, "what did not run is not claimed");
    }
}

/// Probes whose findings only a person can judge: for each, a page with such a finding, and similar pages without one.
const BY_HAND: [(&str, &str, &[&str]); 26] = [
    (
        "a11ycheck-field-label",
        "<h2>Our shop</h2><label>Input <input></label>",
        &["<h2>Our shop</h2><label>Search <input></label>", "<label>Input <input placeholder=Bicycles></label>"],
    ),
    (
        "a11ycheck-identical-links",
        "<a href='/about/contact.html'>Contact us</a> <a href='/shop/contact.html'>Contact us</a>",
        &[
            "<a href='/about/contact.html'>Contact us</a> <a href='/about/contact.html#map'>Contact us</a>",
            "<a href='/about/'>Contact us</a> <a href='/about'>Contact us</a> <a href='/contact'>Contact us</a>",
        ],
    ),
    (
        "a11ycheck-film-alternative",
        "<video src='/film.webm' controls width=50 height=50></video>",
        &[
            "<video src='/film.webm' controls width=50 height=50><track kind=descriptions src='/d.vtt'></video>",
            "<video src='/film.webm' controls width=50 height=50></video><a href='/t'>Transcript</a>",
            "<video></video><form><video name=querySelectorAll hidden src='/film.webm'></video></form>",
        ],
    ),
    (
        "a11ycheck-film-captions",
        "<video src='/film.webm' controls width=50 height=50></video>",
        &["<video src='/film.webm' muted width=50 height=50></video>", "<video src='/film.webm' controls hidden></video>"],
    ),
    (
        "a11ycheck-sound-alternative",
        "<a href='/talk.mp3?x=1'>The talk</a>",
        &["<audio src='/tone.wav'></audio>", "<a href='/talk.mp3'>The talk</a> <a href='/t'>Transcript</a>", "<a href='/mp3'>The talk</a><a href='/a?b=c.mp3'>x</a>"],
    ),
    (
        "a11ycheck-hover-only",
        "<style>.text { display: none } .tip:hover + .text { display: block }</style><b class=tip>?</b><p class=text>Help</p>",
        &[
            "<style>.text { display: none } .tip:hover + .text, .tip:focus + .text { display: block }</style>
             <b class=tip>?</b><p class=text>Help</p>",
            "<style>.tip:hover { display: inline } :hover > { display: block } .tip:hover::after + p { display: block }</style>
             <b class=tip>?</b><p>Help</p>",
        ],
    ),
    (
        "a11ycheck-autocomplete",
        "<form><label>First name <input autocomplete=given-name></label><label>Your e-mail address: <input></label></form>",
        &[
            "<form><label>First name <input autocomplete=given-name></label><label>E-mail address <input autocomplete='work email'></label></form>",
            // Of one alone, nobody knows whose it is; nor is it asked where one is looked for.
            "<form><label>E-mail address <input></label></form><form role=search><label>Town <input></label></form>",
            "<form><label>Vorname <input autocomplete=name></label><label>E-mail <input autocomplete=email></label><label>PLZ <input disabled></label><label>Name of the first dog <input></label></form>",
            "<form><input name=autocomplete aria-label=Surname autocomplete=family-name><input name=getAttribute type=tel aria-label=x autocomplete=tel></form>",
        ],
    ),
    (
        "a11ycheck-autocomplete",
        "<form><label>Postcode <input autocomplete=tel></label><label>E-mail <input autocomplete=email></label></form>",
        &[],
    ),
    (
        "a11ycheck-field-edge",
        "<style>input { border: 1px solid #ddd }</style><label>Town <input></label>",
        &[
            "<label>Town <input></label>",
            "<style>input { border: 1px solid #ddd; border-bottom-color: #555 }</style><label>Town <input></label>",
            "<style>input { border: 1px solid #ddd; background: #555 }</style><label>Town <input></label>",
            "<style>input { border: 0 } span { border: 1px solid #555; display: inline-block; padding: 2px }</style><label>Town <span><input></span></label>",
            "<style>input { border: 1px solid #ddd; box-shadow: 0 0 3px #000 }</style><label>Town <input></label>",
            "<style>input { border: 1px solid rgb(0 0 0 / 20%); background: color-mix(in lab, red, blue) }</style><form><input name=parentElement aria-label=x></form>",
        ],
    ),
    (
        "a11ycheck-mouse-only",
        "<div class='btn primary'>Start the chat</div>",
        &[
            "<div class='btn primary' tabindex=0 role=button>Start</div>",
            "<div class=btn-group><button>Start</button></div><div class=buttonish>Start</div>",
            "<form onclick='0'><input name=closest aria-label=x></form>",
        ],
    ),
    (
        "a11ycheck-mouse-only",
        "<div id=x style='cursor: pointer'>Start</div><script>
             x.matches = x.closest = x.getAttribute = () => { throw 1 };
             Element.prototype.matches = Node.prototype.contains = () => { throw 2 };
             x.addEventListener('click', { get handleEvent() { throw 3 } });
             x.addEventListener('click', () => 0)</script>",
        &[
            "<button id=x><b id=y>Start</b></button><ul id=z style='cursor: pointer'><li><a href='/a'>One</a></ul><label id=w>Name <input></label>
             <script>for (const target of [x, y, z, w, window, document, document.body]) target.addEventListener('click', () => 0)</script>",
            "<div id=x tabindex=0 style='cursor: pointer'>Start</div><p id=y>What we sell, how it is made, and by whom</p><b id=z>Start</b>
             <script>for (const target of [x, y]) target.addEventListener('click', () => 0); z.addEventListener('mousedown', () => 0)</script>",
            "<p id=x style='cursor: pointer'>Name</p><input aria-labelledby=x><canvas id=y style='cursor: pointer'></canvas>
             <div role=listbox tabindex=0 aria-label=Size><p id=z role=option>One</p></div><i id=w aria-hidden=true>Start</i>
             <script>for (const target of [x, y, z, w]) target.addEventListener('click', () => 0)</script>",
            "<x-y id=x style='cursor: pointer'>Start</x-y><iframe title=Form srcdoc=\"<b id=x>Start</b><script>x.addEventListener('click', () => 0)</script>\"></iframe>
             <script>customElements.define('x-y', class extends HTMLElement { constructor() { super();
             this.attachShadow({ mode: 'closed' }).innerHTML = '<button><slot></slot></button>' } });
             x.addEventListener('click', () => 0)</script>",
            "<form id=x style='cursor: pointer'>Start <input name=matches aria-label=x></form>
             <script>x.addEventListener('click', () => 0)</script>",
            // What is too much is not read.
            "<div id=x style='cursor: pointer'>Start</div>
             <script>for (let i = 0; i < 20_000; i += 1) x.addEventListener('click', () => i)</script>",
        ],
    ),
    (
        "a11ycheck-same-links",
        "<p><a href='/a'>Programme</a> and <a href='/b'>Programme</a></p>",
        &[
            "<p><a href='/a'>Programme</a></p><p><a href='/b'>Programme</a></p>",
            "<p><a href='/a'>Programme</a> <a href='/a/index.html'>programme</a></p>",
            "<p><a href='http://[bad'>Programme</a> <a href='javascript:0'>Programme</a></p>",
        ],
    ),
    (
        "a11ycheck-sensory-words",
        "<p>Press the round button to go on.</p><button>Continue</button>",
        &[
            "<p>Press Continue, the round button.</p><button>Continue</button>",
            "<p>You are right, the large box of round apples is empty.</p>",
            "<p>\u{202e}Press the \u{0}round\u{feff} butt on</p>",
            "<p>Use the navigation on the right.</p><nav><a href='/a'>Contact</a></nav>",
        ],
    ),
    (
        "a11ycheck-captcha",
        "<label>Type the letters <input name=captcha_code></label>",
        &[
            // What asks nothing of visitors, and what only a program would fill in.
            "<div class=g-recaptcha data-size=invisible>Protected</div><label hidden>Leave empty <input name=captcha></label><input type=hidden name=captcha>",
            "<p class=captcha>Our captchas are accessible</p><img src='data:,' alt='Caption' width=50 height=50>",
            "<form><label>Name <input name=id></label><input type=submit name=captcha value=Send></form>",
        ],
    ),
    ("a11ycheck-captcha", "<img id=x src='/captcha.php?1' alt='' role=img aria-label=Letters width=90 height=30>", &[]),
    (
        "a11ycheck-device-motion",
        "<script>addEventListener('devicemotion', () => { document.title = 'Undone' })</script>",
        &[
            "<script>document.addEventListener('devicemotion', () => 0); addEventListener('resize', () => 0)</script>",
            "<script>addEventListener('motion', { get handleEvent() { return null } }); window.ondevicemotion = null</script>",
        ],
    ),
    (
        "a11ycheck-dragging",
        "<ul><li draggable=true>Milk</li><li draggable=true>Eggs</li></ul>",
        &[
            "<a href='/a' draggable=true>Milk</a><img draggable=true src='data:,' alt=Eggs width=50 height=50><p draggable=false>Flour</p>",
            "<ul hidden><li draggable=true>Milk</li></ul><form><input name=draggable><input name=children></form>",
        ],
    ),
    (
        "a11ycheck-single-key",
        "<script>document.addEventListener('keydown', (event) => { if (event.key === '/') document.title = 'Search' })</script>",
        &[
            "<script>document.addEventListener('keydown', (event) => { if (event.key === 'Escape') document.title = 'Home' })</script>",
            "<script>onkeydown = (event) => { if (event.ctrlKey && event.keyCode === 75) document.title = 'Search' }</script>
             <label>Name <input onkeydown='if (event.key === \"a\") 0'></label>",
            "<script>document.onkeyup = (event) => { if (onlyAltPressed(event) && event.key === '0') document.title = 'Home' }</script>",
            // What a page says of its functions counts for nothing, and what is too much is not read.
            "<script>Function.prototype.toString = () => 'event.key === \"x\"'; window.addEventListener('keyup', { get handleEvent() { return null } });
             window.addEventListener('keyup', Object.assign(() => 0, { toString: () => 'event.key === \"x\"' }))</script>",
            // Keys with names, as programs write them, and what a page may put into a source to keep who reads it busy.
            "<script>document.onkeyup = (event) => { if ([\"Enter\",\"Escape\"].includes(event.key)) document.title = 'Home' }</script>",
            "<script>document.onkeyup = new Function('event', `if(${'event.ctrlKey,'.repeat(400)}0)${' '.repeat(9_000)}0`)</script>",
            "<script>for (let i = 0; i < 300; i += 1) window.addEventListener('keydown', (event) => event.key === 'j')</script>",
            "<script>const long = ' '.repeat(30_000); document.onkeyup = new Function('event', `${long} if (event.key === 'j') 0`)</script>",
        ],
    ),
    (
        "a11ycheck-single-key",
        "<script>document.addEventListener('keydown', (event) => {
            if (event.ctrlKey || event.metaKey) return;
            if (['j', 'k'].includes(event.key) || (event.key.toLowerCase() === 'd' && !event.altKey)) document.title = 'Next';
         })</script>",
        &["<script>document.addEventListener('keydown', (event) => { if (!event.ctrlKey) return; if (event.key === 'd') document.title = 'Next' })</script>"],
    ),
    (
        "a11ycheck-single-key",
        "<script>document.addEventListener('keypress', (event) => { const k = event.key.toLowerCase(); if (k === 's') document.title = 'Search' })</script>",
        &["<script>document.addEventListener('keypress', (event) => { const k = event.key; const key = 'x'; if (k === 'Escape' || event.k === 's') document.title = 'Search' })</script>"],
    ),
    (
        "a11ycheck-text-structure",
        "<p><b>Ingredients</b></p><p>Flour, eggs, milk, butter, sugar and some salt, and whatever is still left in the kitchen.</p>",
        &[
            "<p><b>Ingredients.</b></p><p>Flour, eggs, milk, butter, sugar and some salt, and what is still left in the kitchen.</p>",
            "<p><b>Important</b> are the eggs</p><p>Flour, eggs, milk, butter, sugar and some salt, and what is left.</p>",
        ],
    ),
    (
        "a11ycheck-error-message",
        "<form><div role=alert>You need to fix the errors on this page.</div><label>Name <input></label><label>City <input></label></form>",
        &[
            "<form><div role=alert>Please enter your city.</div><label>Name <input></label><label>City <input></label></form>",
            "<form class=error><label>Name <input class=invalid></label><label>City <input name=contains></label></form>",
        ],
    ),
    (
        "a11ycheck-context-change",
        "<label>Language <select onchange='location.href = this.value'><option>English<option>German</select></label>",
        &[
            "<label>Language <select onchange='this.title = this.value'><option>English<option>German</select></label> <button onclick='location = `/de`'>Go</button>",
            "<label>Language <select onchange='location.hash = this.value; let location2 = 1; dialog.open()'><option>English</select></label>",
            "<label>Place <select onchange='const location = this.value; filters.location = location; [].find(location => location.id); fetch(`?location=`) /* location = 1 */'><option>A</select></label>",
            "<label>Name <input onchange='this.form.submit()'></label> <label><select disabled onchange='this.form.submit()'></select> Day</label>",
            "<form><select onchange='locations = (' aria-label=x></select><input name=querySelectorAll aria-label=y></form>",
        ],
    ),
    (
        "a11ycheck-context-change",
        "<label><input type=radio id=x> Later</label><script>x.addEventListener('change', (event) => { event.target.form.submit() })</script>",
        &[
            "<label><input type=radio id=x> Later</label><script>x.addEventListener('change', (event) => { event.target.title = location.href })</script>",
            "<button id=x>Help</button><script>x.addEventListener('click', () => window.open('/help')); x.addEventListener('focus', () => blur())</script>",
            "<select id=x aria-label=x></select><script>x.addEventListener('change', { get handleEvent() { throw 'location = 1' } });
             x.addEventListener('change', Object.assign(() => 0, { toString: () => 'location = 1' }))</script>",
        ],
    ),
    (
        "a11ycheck-spaced-letters",
        "<h1>W e l c o m e  to us</h1>",
        &[
            "<h1 style='letter-spacing: .3em'>Welcome</h1>",
            "<p>A B C D E F G H I</p><p>K J H G F E D C B A</p><p>J F M A M J J A S O N D</p><p>W L W W D</p><p>A B x C x D x E</p><p>Y U I O P</p><p>I V X L C D M</p>",
            "<p lang=uk>А Б В Г Ґ Д Е Є</p><kbd>R E T U R N</kbd><p>spelled O M A L L E Y</p><a href='/a' aria-label='Sale today'>S A L E T O D A Y</a><p aria-hidden=true>H e l l o a</p>",
            "<form><input name=createTreeWalker aria-label=x></form><script>document.body.append('e b '.repeat(99999)); CharacterData.prototype.toString = 7</script>",
        ],
    ),
    ("a11ycheck-spaced-letters", "<p>П\u{a0}р\u{a0}и\u{a0}в\u{a0}і\u{a0}т !</p>", &["<p>Привіт !</p>"]),
];

#[tokio::test(flavor = "multi_thread")]
async fn a_person_is_asked_where_a_probe_cannot_tell_and_nowhere_near_it() {
    let pages: Vec<(usize, bool, &str)> = BY_HAND
        .iter()
        .enumerate()
        .flat_map(|(number, (_, asked, others))| {
            [(number, true, *asked)].into_iter().chain(others.iter().map(move |other| (number, false, *other)))
        })
        .collect();
    let bodies: Vec<&str> = pages.iter().map(|(_, _, body)| *body).collect();
    let site = Site::start(move |request| {
        let body =
            request.path.trim_start_matches('/').parse::<usize>().ok().and_then(|number| bodies.get(number).copied());
        Reply::Html(page("A page of a test", body.unwrap_or("ok")))
    })
    .await;
    let paths: Vec<String> = (0..pages.len()).map(|number| format!("/{number}")).collect();
    let findings = scan_moving(&site, &paths, MovingProbes::OneOfEachKind).await;
    let mut wrong = Vec::new();
    for (index, (number, is_asked, body)) in pages.iter().enumerate() {
        let probe = BY_HAND[*number].0;
        let asked = findings.undecided.iter().any(|item| item.page == index && item.rule == RuleId::new(probe));
        if asked != *is_asked || !found(&findings, probe, index).is_empty() {
            wrong.push(format!("{probe}: asked {asked}: {body}"));
        }
    }
    assert_eq!(wrong, Vec::<String>::new());
}

#[tokio::test(flavor = "multi_thread")]
async fn what_only_a_mouse_reaches_is_named_once_however_it_is_seen() {
    const LISTENS: &str = "for (const target of all) target.addEventListener('click', () => 0)</script>";
    static PAGES: [(&str, &[&str]); 6] = [
        ("<div id=x class=btn>Start</div><div id=y onclick='0'>Stop</div><script>const all = [x, y];", &["#x", "#y"]),
        (
            "<div id=x style='cursor: pointer'><b id=y>One</b> <b id=z>Two</b></div><div id=w class=btn><i id=v>Go</i></div>
             <script>const all = [x, y, z, v];",
            &["#y", "#z", "#w"],
        ),
        // A role takes no focus, nor does content that only scripts move the focus to.
        (
            "<a id=x>Start</a><p id=y role=button>Start</p><div tabindex=-1><a href='/a'>A</a><b id=z>Start</b></div>
             <script>const all = [x, y, z];",
            &["#x", "#y", "#z"],
        ),
        // A part of the page that a skip link leads to, and a heading that opens what is below it.
        (
            "<main tabindex=-1><h2 id=x>When will I be paid this year?</h2><p id=y>In the first week of each month, as ever.</p></main><script>const all = [x, y];",
            &["#x"],
        ),
        // A picture, and a sign that styles draw.
        (
            "<img id=x alt=Map width=90 height=90 src='data:,'><b id=y style='display: block; width: 12px; height: 12px; cursor: pointer'></b>
             <b id=z style='position: fixed; inset: 0; cursor: pointer; z-index: -1'></b><script>const all = [x, y, z];",
            &["#x", "#y"],
        ),
        (
            "<div id=x></div><script>const tree = x.attachShadow({ mode: 'open' }); tree.innerHTML = '<b id=y>Start</b>';
             const all = [tree.firstChild];",
            &["#x #y"],
        ),
    ];
    let site = Site::start(|request| {
        let number = request.path.trim_start_matches('/').parse::<usize>().ok();
        let body = number.and_then(|number| PAGES.get(number)).map_or("ok", |(body, _)| *body);
        Reply::Html(page("A page of a test", &format!("{body} {LISTENS}")))
    })
    .await;
    let paths: Vec<String> = (0..PAGES.len()).map(|number| format!("/{number}")).collect();
    let findings = scan_moving(&site, &paths, MovingProbes::OneOfEachKind).await;
    let probe = RuleId::new("a11ycheck-mouse-only");
    for (number, (body, wanted)) in PAGES.iter().enumerate() {
        let of_page = findings.undecided.iter().filter(|item| item.page == number && item.rule == probe);
        let mut asked: Vec<&str> = of_page.map(|item| item.selector.as_str()).collect();
        asked.sort_unstable();
        let mut wanted = wanted.to_vec();
        wanted.sort_unstable();
        assert_eq!(asked, wanted, "{body}");
    }
}

/// What jQuery does with handlers: one listener for each event of an element, and the page's own functions behind a property of the element, or, before
/// version 2.0, under a number in `jQuery.cache`.
const JQUERY: [&str; 2] = [
    "const dataOf = (element) => element.jQuery36100123 ??= { events: Object.create(null) };",
    "jQuery.cache = {}; jQuery.expando = 'jQuery1124'; let last = 0; d.jQuery1123 = 1;
     const dataOf = (element) => jQuery.cache[element.jQuery1124 ??= ++last] ??= { events: {} };",
];

#[tokio::test(flavor = "multi_thread")]
async fn what_jquery_calls_is_judged_like_what_the_browser_calls() {
    const ON: &str = "const on = (element, type, selector, handler) => {
            const { events } = dataOf(element);
            (events[type] ??= []).push({ type, handler, selector });
            element.addEventListener(type, (e) => jQuery.event.dispatch.apply(element, e));
        };";
    const BODY: &str = "<label>Language <select id=a><option>English<option>German</select></label>
        <label>Country <select class=c><option>Poland<option>Romania</select></label>
        <label>Town <select id=d><option>Oradea<option>Opole</select></label>
        <label>Address <input id=b></label><label>Again <input id=e></label> <label>Place <input id=f></label> <label>House <input id=g></label>
        <div><p class=x style='cursor: pointer'>Start</p><p class=y>Stop</p><button class=z>Go</button></div>";
    const SCRIPT: &str = "on(a, 'change', undefined, function() { window.location = this.value });
        on(document, 'change', '.c', () => { location.assign('/x') });
        on(d, 'change', undefined, function() { this.title = location.href });
        on(document, 'change', '#d:visible', () => { location = '/x' });
        on(b, 'paste', undefined, function() { return false });
        on(e, 'paste', undefined, function() { return true });
        on(f, 'paste', '', function(){return!1});
        on(g, 'paste', undefined, () => !1);
        on(document.querySelector('div'), 'change', 'body .c', () => { location.assign('/x') });
        on(document.body, 'click', 'div .y', () => 0);
        on(document.querySelector('div'), 'click', '.x', () => 0);
        on(document.querySelector('div'), 'focusin', '.z', () => { window.open('/help') });
        on(document, 'keydown', undefined, (event) => event.which === 83 && location.assign('#search'));";
    // Nothing of the page runs for it.
    const HOSTILE: &str = "let told = 0; const tell = () => { told += 1; throw fetch('/told') };
        Object.defineProperty(a, 'jQuery36100123', { get: tell }); Object.defineProperty(window, 'jQuery', { get: tell });
        b.jQuery1124 = 7; d.jQuery36100123 = new Proxy({}, { get: tell, ownKeys: tell, getOwnPropertyDescriptor: tell });
        for (const each of [a, b, d]) for (const type of ['change', 'paste']) each.addEventListener(type, () => event.dispatch());";
    let told = Arc::new(AtomicU32::new(0));
    let noticed = Arc::clone(&told);
    let site = Site::start(move |request| {
        let script = match request.path.as_str() {
            "/0" | "/1" => {
                let keeps = JQUERY[usize::from(request.path == "/1")];
                format!("globalThis.jQuery = {{ event: {{ dispatch() {{}} }} }}; {keeps} {ON} {SCRIPT}")
            }
            "/2" => HOSTILE.to_owned(),
            path => {
                noticed.fetch_add(u32::from(path == "/told"), Ordering::Relaxed);
                String::new()
            }
        };
        Reply::Html(page("A page of a test", &format!("{BODY}<script>{{ {script} }}</script>")))
    })
    .await;
    let paths = ["/0", "/1", "/2"].map(str::to_owned);
    let findings = scan_moving(&site, &paths, MovingProbes::OneOfEachKind).await;
    let asked = |probe: &str, number: usize| -> BTreeSet<&str> {
        let of_page = findings.undecided.iter().filter(|item| item.page == number && item.rule == RuleId::new(probe));
        of_page.map(|item| item.selector.as_str()).collect()
    };
    for number in [0, 1] {
        assert_eq!(asked("a11ycheck-context-change", number), ["#a", ".c", "button"].into(), "{number}");
        assert_eq!(asked("a11ycheck-mouse-only", number), [".x"].into(), "{number}");
        assert_eq!(asked("a11ycheck-single-key", number), ["html"].into(), "{number}");
        assert_eq!(
            found(&findings, "a11ycheck-paste-blocked", number),
            ["#b", "#f", "#g"].map(str::to_owned).into(),
            "{number}"
        );
    }
    assert_eq!(asked("a11ycheck-context-change", 2), BTreeSet::new());
    assert_eq!(asked("a11ycheck-mouse-only", 2), BTreeSet::new());
    assert_eq!(asked("a11ycheck-single-key", 2), BTreeSet::new());
    assert_eq!(told.load(Ordering::Relaxed), 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_person_is_asked_to_listen_where_a_script_starts_sound_by_itself() {
    // All that is found goes on until the page is left, whenever it is looked at.
    const ASKED: [(&str, &str); 3] = [
        ("html", "<script>const sound = new Audio('/long.wav?key=1'); sound.loop = true; sound.play()</script>"),
        ("#x", "<audio id=x loop src='/tone.wav'></audio><button>Menu</button><script>x.play()</script>"),
        // A player that is always on its way back to its beginning, as every loop is for a moment.
        (
            "#x",
            "<audio id=x loop src='/long.wav'></audio><script>x.play(); setInterval(() => { if (x.played.length) x.currentTime = 0 })</script>",
        ),
    ];
    const NOT_ASKED: [&str; 8] = [
        "<audio id=x loop muted src='/tone.wav'></audio>
         <script>x.play(); const sound = new Audio('/long.wav'); sound.loop = true; sound.muted = true; sound.play()</script>",
        "<audio id=x loop src='/tone.wav'></audio><button onclick=\"x.play(); new Audio('/long.wav').play()\">Play</button>",
        "<audio id=x loop controls src='/tone.wav'></audio><script>x.play()</script>",
        "<script>const sound = new Audio('/long.wav'); sound.loop = true; sound.play().then(() => sound.pause())</script>",
        "<audio id=x src='/tone.wav'></audio><script>x.play(); const sound = new Audio('/tone.wav'); sound.play()</script>",
        // Nothing of it has come, and the list of players is long.
        "<script>new Audio('/tone.wav').play(); window.all = Array.from({ length: 6_000 }, () => { const sound = new Audio();
         sound.loop = true; sound.play().catch(() => 0); return sound })</script>",
        "<script>const sound = new Audio('/long.wav'); sound.loop = true; sound.play();
         Object.defineProperty(HTMLMediaElement.prototype, 'paused', { get() { throw this } })</script>",
        "<form><audio name=x src='/tone.wav'></audio><input name=paused aria-label=x></form>
         <script>new Audio('/tone.wav').play(); HTMLMediaElement = { prototype: 7 }</script>",
    ];
    let bodies = || ASKED.into_iter().map(|(_, body)| body).chain(NOT_ASKED);
    let site = Site::start(move |request| {
        let path = request.path.split('?').next().unwrap_or_default();
        let number = path.trim_start_matches('/').parse::<usize>().ok();
        let body = number.and_then(|number| bodies().nth(number));
        body.map_or_else(|| answer(path), |body| Reply::Html(page("A page of a test", body)))
    })
    .await;
    let paths: Vec<String> = (0..bodies().count()).map(|number| format!("/{number}")).collect();
    let probe = RuleId::new("a11ycheck-script-sound");
    let findings = scan_all(&site, &paths).await;
    assert!(!findings.ran.unwrap().contains("a11ycheck-script-sound"), "without moving probes, no sound begins");
    let findings = scan_moving(&site, &paths, MovingProbes::OneOfEachKind).await;
    let of_probe = findings.undecided.iter().filter(|item| item.rule == probe);
    let asked: BTreeSet<(usize, &str)> = of_probe.map(|item| (item.page, item.selector.as_str())).collect();
    assert_eq!(asked, ASKED.iter().enumerate().map(|(page, (selector, _))| (page, *selector)).collect());
    assert!(findings.items.iter().all(|item| item.rule != probe), "nothing about it is certain");
    let said = findings.undecided.iter().find(|item| item.page == 0 && item.rule == probe).unwrap();
    let said = catalog::sentence(&said.checks[0], Locale::En).unwrap();
    assert!(said.contains("/long.wav`") && !said.contains("key"), "{said}");
}

#[tokio::test(flavor = "multi_thread")]
async fn sound_that_the_page_pauses_before_it_begins_is_no_fault_where_it_could_begin() {
    const PLAYER: &str = "<audio id=x autoplay loop src='/long.wav'></audio>";
    let site = Site::start(|request| match request.path.as_str() {
        "/paused" => Reply::Html(page("A page of a test", &format!("{PLAYER}<script>x.pause()</script>"))),
        "/plays" => Reply::Html(page("A page of a test", PLAYER)),
        path => answer(path),
    })
    .await;
    let paths = ["/paused", "/plays"].map(str::to_owned);
    let is_found = |findings: &Findings| [0, 1].map(|number| !found(findings, "a11ycheck-autoplay", number).is_empty());
    assert_eq!(is_found(&scan_moving(&site, &paths, MovingProbes::EveryPage).await), [false, true]);
    // Where the browser keeps sound from beginning, both look alike.
    assert_eq!(is_found(&scan_all(&site, &paths).await), [true, true]);
}

#[tokio::test(flavor = "multi_thread")]
async fn the_content_of_a_page_is_found_behind_what_pages_share() {
    let document = |body: &str| format!("<!DOCTYPE html><html lang=en><title>Shop</title><body>{body}</body></html>");
    let pages = [
        document("<nav id=x><a href='/other'>Other</a></nav><main><p id=y>Text without a heading.</p></main>"),
        document(
            "<a href='#m'>Skip</a><nav><a href='/other'>Other</a></nav><main id=m><h2>News</h2><p>Text</p></main>",
        ),
        // Nothing that pages share: no link leads to another.
        document("<nav><a href='#x'>Here</a></nav><article><header><a href='#y'>x</a></header><p>Text</p></article>"),
        document(
            "<nav><a href='http://[bad'>x</a></nav><form><input name=compareDocumentPosition aria-label=x></form><p>Text</p>",
        ),
        // A button leads there.
        document(
            "<button>Skip to the content</button><nav><a href='/other'>Other</a></nav><main><h2>News</h2><p>Text</p></main>",
        ),
    ];
    let site = Site::start(move |request| {
        let number = request.path.trim_start_matches('/').parse::<usize>().unwrap_or(0);
        Reply::Html(pages.get(number).cloned().unwrap_or_default())
    })
    .await;
    let findings = scan_all(&site, &["/0", "/1", "/2", "/3", "/4"].map(str::to_owned)).await;
    let is_found = |probe| [0, 1, 2, 3, 4].map(|page| !found(&findings, probe, page).is_empty());
    assert_eq!(is_found("a11ycheck-main-heading"), [true, false, false, false, false]);
    assert_eq!(is_found("a11ycheck-skip-link"), [true, false, false, false, false]);
}

/// The probes of what is opened, which `opening.rs` tests.
const OPENING: [&str; 2] = ["a11ycheck-dialog-focus", "a11ycheck-opening-keys"];

#[tokio::test(flavor = "multi_thread")]
async fn without_probes_everything_that_is_found_is_axe_cores_own() {
    let body = "<style>a { outline: none }</style><a href='/1'>read more</a> <a href='/1'></a><button>Menu</button>
        <p style='color: #777; background: linear-gradient(#fff, #000)'>Prices</p>";
    let site = Site::start(move |_| Reply::Html(page("A page of a test", body))).await;
    let with_probes = scan_moving(&site, &["/0", "/1", "/2"].map(str::to_owned), MovingProbes::Off).await;
    let everything = config()
        .with_moving_probes(MovingProbes::EveryPage)
        .with_enhanced_contrast(true)
        .with_measured_contrast(true)
        .with_opening(Opening::EveryPage)
        .with_reuse(Reuse::On);
    let scanner = ChromiumScanner::new(everything.with_probes(false)).unwrap();
    let pages = PageList::new(["/0", "/1", "/2"].map(|path| site.url(path).parse().unwrap())).unwrap();
    let request = ScanRequest::of_pages(ScanId::generate(chrono::Utc::now()), pages);
    let output = scanner.scan(request, &Progress::default(), CancellationToken::new()).await.unwrap();
    scanner.close().await;
    let (outcomes, findings) = (output.rule_outcomes, output.findings);
    let passed = outcomes.iter().flat_map(|page| &page.passed);
    let named = findings.items.iter().chain(&findings.undecided).map(|item| &item.rule).chain(passed);
    let named = named.chain(findings.ran.iter().flatten()).chain(findings.needs_review.keys());
    assert_eq!(named.into_iter().find(|rule| catalog::is_probe(rule.as_str())), None);
    let of_axe = |findings: &Findings| -> Vec<(usize, RuleId, String)> {
        let own = findings.items.iter().filter(|item| !catalog::is_probe(item.rule.as_str()));
        own.map(|item| (item.page, item.rule.clone(), item.selector.clone())).collect()
    };
    assert!(!of_axe(&findings).is_empty());
    assert_eq!(of_axe(&findings), of_axe(&with_probes));
}
