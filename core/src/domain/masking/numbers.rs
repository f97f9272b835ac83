//! Numbers of cards and accounts, which are distinguished from others by their check digits.

/// Returns whether the text is an account number of ISO 13616: its digits, with letters counted from 10, are 1 modulo
/// 97.
pub(super) fn is_iban(text: &str) -> bool {
    let characters: Vec<char> = text.chars().filter(char::is_ascii_alphanumeric).collect();
    if !(15..=34).contains(&characters.len()) {
        return false;
    }
    let (head, tail) = characters.split_at(4);
    let remainder = tail.iter().chain(head).try_fold(0_u32, |remainder, character| {
        let value = character.to_digit(36)?;
        let shifted = if value < 10 { remainder * 10 } else { remainder * 100 };
        Some((shifted + value) % 97)
    });
    remainder == Some(1)
}

/// Returns whether the text is the number of a payment card: 14 to 19 digits of a known issuer (ISO/IEC 7812) with a
/// correct check digit (Luhn). Thirteen digits are far more often an article number.
pub(super) fn is_card(text: &str) -> bool {
    let digits: Vec<u32> = text.chars().filter_map(|character| character.to_digit(10)).collect();
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
