//! Numbers of cards and accounts, which are distinguished from others by their check digits.
//!
//! Other numbers may stand before and behind one in the same run (`Room 12 4111 1111 1111 1111`), so the groups of a run are judged as well
//! as the whole.

use std::{borrow::Cow, ops::Range};

use super::MASK;

/// The groups of the longest number: an IBAN of 34 characters in groups of four.
const MOST_GROUPS: usize = 9;

/// Returns a run of letters and digits with its account numbers masked.
pub(super) fn masked_accounts(run: &str) -> Cow<'_, str> {
    masked_run(run, is_iban, is_iban)
}

/// Returns a run of digits with its card numbers masked. In groups of any lengths, only a whole run is one: of the numbers that stand side by
/// side in a table, some have the check digit of a card together.
pub(super) fn masked_cards(run: &str) -> Cow<'_, str> {
    masked_run(run, is_card, |part| is_card(part) && is_grouped_as_card(part))
}

/// Masks the run if it is a number as a whole, otherwise the first groups that are one together, the most that are, and so on behind them.
/// What stands before such groups is judged as a whole too, or a second masking would find more than the first.
fn masked_run(run: &str, is_whole: impl Fn(&str) -> bool, is_part: impl Fn(&str) -> bool) -> Cow<'_, str> {
    let groups = groups(run);
    let text = |of: &Range<usize>| &run[groups[of.start].start..groups[of.end - 1].end];
    let part_from = |first: usize| {
        let most = groups.len().min(first + MOST_GROUPS);
        (first + 1..=most).rev().map(|end| first..end).find(|part| is_part(text(part)))
    };
    let (mut masked, mut copied) = (String::new(), 0);
    let mut mask = |of: &Range<usize>| {
        masked.push_str(&run[copied..groups[of.start].start]);
        masked.push_str(MASK);
        copied = groups[of.end - 1].end;
    };
    let mut rest = 0..groups.len();
    while !rest.is_empty() {
        if is_whole(text(&rest)) {
            mask(&rest);
            break;
        }
        let Some(part) = rest.clone().find_map(part_from) else {
            break;
        };
        let before = rest.start..part.start;
        if !before.is_empty() && is_whole(text(&before)) {
            mask(&before);
        }
        mask(&part);
        rest.start = part.end;
    }
    match copied {
        0 => Cow::Borrowed(run),
        _ => Cow::Owned(masked + &run[copied..]),
    }
}

/// Returns where the groups of a run are, which single separators part.
fn groups(run: &str) -> Vec<Range<usize>> {
    run.split_inclusive(|character: char| !character.is_ascii_alphanumeric())
        .scan(0, |start, group| {
            let from = *start;
            *start += group.len();
            let length = group.trim_end_matches(|character: char| !character.is_ascii_alphanumeric()).len();
            Some(from..from + length)
        })
        .collect()
}

/// Returns whether digits are grouped as on a card: not at all, by four, or as on cards of 14 and 15 digits.
fn is_grouped_as_card(text: &str) -> bool {
    let lengths: Vec<usize> = groups(text).iter().map(Range::len).collect();
    match lengths[..] {
        [4, 6, 4 | 5] => true,
        [ref fours @ .., 1..=4] => fours.iter().all(|length| *length == 4),
        _ => lengths.len() == 1,
    }
}

/// Returns whether the text is an account number of ISO 13616: two letters, two check digits and at most 30 letters or digits, without
/// spaces or with spaces behind fours, of which the digits, with letters counted from 10, are 1 modulo 97.
fn is_iban(text: &str) -> bool {
    let characters: Vec<char> = text.chars().filter(char::is_ascii_alphanumeric).take(35).collect();
    if !(15..=34).contains(&characters.len()) || !is_in_fours(text) {
        return false;
    }
    let (head, tail) = characters.split_at(4);
    let begins_as_one = head[..2].iter().all(char::is_ascii_uppercase) && head[2..].iter().all(char::is_ascii_digit);
    let remainder = tail.iter().chain(head).try_fold(0_u32, |remainder, character| {
        let value = character.to_digit(36)?;
        let shifted = if value < 10 { remainder * 10 } else { remainder * 100 };
        Some((shifted + value) % 97)
    });
    begins_as_one && remainder == Some(1)
}

/// Returns whether spaces stand only behind four characters, or a multiple of four.
fn is_in_fours(text: &str) -> bool {
    let groups = groups(text);
    groups.iter().rev().skip(1).all(|group| group.len().is_multiple_of(4))
}

/// Returns whether the text is the number of a payment card: 14 to 19 digits of a known issuer (ISO/IEC 7812) with a
/// correct check digit (Luhn). Thirteen digits are far more often an article number.
fn is_card(text: &str) -> bool {
    let digits: Vec<u32> = text.chars().filter_map(|character| character.to_digit(10)).take(20).collect();
    let begins_with = |length: usize| digits.iter().take(length).fold(0, |number, digit| number * 10 + digit);
    let is_of_issuer = match digits.len() {
        14 => matches!(begins_with(2), 30 | 36 | 38 | 39),
        15 => matches!(begins_with(2), 34 | 37),
        16 => {
            matches!(begins_with(1), 4)
                || matches!(begins_with(2), 35 | 50..=58 | 60 | 62 | 64 | 65)
                || matches!(begins_with(4), 2200..=2204 | 2221..=2720)
        }
        17..=19 => matches!(begins_with(2), 50 | 56..=58 | 60 | 62 | 63 | 67) || begins_with(1) == 4,
        _ => false,
    };
    let sum: u32 = digits
        .iter()
        .rev()
        .enumerate()
        .map(|(place, digit)| match place % 2 {
            0 => *digit,
            _ if *digit > 4 => digit * 2 - 9,
            _ => digit * 2,
        })
        .sum();
    is_of_issuer && sum.is_multiple_of(10)
}
