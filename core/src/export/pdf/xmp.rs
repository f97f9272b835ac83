//! The file's metadata in XML: ISO 16684-1, with the mark of PDF/UA-1 (ISO 14289-1, clause 5).

use super::finish::Facts;

/// Returns the packet.
pub(super) fn packet(facts: &Facts<'_>) -> String {
    let [title, author, program] = [facts.title.as_str(), facts.author, facts.program].map(escaped);
    let language = facts.locale;
    let date = facts.made_at.format("%Y-%m-%dT%H:%M:%SZ");
    format!(
        r#"<?xpacket begin="{bom}" id="W5M0MpCehiHzreSzNTczkc9d"?>
<x:xmpmeta xmlns:x="adobe:ns:meta/">
<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">
<rdf:Description rdf:about=""
 xmlns:dc="http://purl.org/dc/elements/1.1/"
 xmlns:pdf="http://ns.adobe.com/pdf/1.3/"
 xmlns:pdfuaid="http://www.aiim.org/pdfua/ns/id/"
 xmlns:xmp="http://ns.adobe.com/xap/1.0/">
<dc:title><rdf:Alt><rdf:li xml:lang="x-default">{title}</rdf:li></rdf:Alt></dc:title>
<dc:creator><rdf:Seq><rdf:li>{author}</rdf:li></rdf:Seq></dc:creator>
<dc:language><rdf:Bag><rdf:li>{language}</rdf:li></rdf:Bag></dc:language>
<pdf:Producer>{program}</pdf:Producer>
<pdfuaid:part>1</pdfuaid:part>
<xmp:CreatorTool>{program}</xmp:CreatorTool>
<xmp:CreateDate>{date}</xmp:CreateDate>
<xmp:ModifyDate>{date}</xmp:ModifyDate>
</rdf:Description>
</rdf:RDF>
</x:xmpmeta>
<?xpacket end="r"?>"#,
        bom = '\u{FEFF}',
    )
}

/// Escapes text for XML, without the characters that XML can't hold.
fn escaped(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            '\u{FFFE}' | '\u{FFFF}' => {}
            character if character.is_control() => {}
            character => escaped.push(character),
        }
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::escaped;

    #[test]
    fn a_hostile_title_stays_text() {
        assert_eq!(escaped("</rdf:li>&\u{0}\"\u{FFFF}я🦄"), "&lt;/rdf:li&gt;&amp;&quot;я🦄");
    }
}
