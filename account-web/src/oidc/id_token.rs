//! ID tokens: whose signature they have, for whom they are, and who is signed in.
//!
//! Verified with ring, on which TLS runs as well. Of the crates for it, `openidconnect` brings 47 others, among them a second implementation of
//! all signatures and `rsa` with an open advisory (RUSTSEC-2023-0071), and `jsonwebtoken` takes that implementation or aws-lc. Two algorithms
//! are enough: each provider has to have RS256 (OpenID Connect Core 1.0, 15.1), and ES256 is what is recommended beside it.

use a11ycheck_core::domain::EmailAddress;
use base64::{Engine as _, engine::general_purpose::URL_SAFE_NO_PAD};
use chrono::{DateTime, Utc};
use ring::signature::{ECDSA_P256_SHA256_FIXED, RSA_PKCS1_2048_8192_SHA256, RsaPublicKeyComponents, UnparsedPublicKey};

use super::answers::{Claims, Head, Key, Keys, OneOrMany};

/// The person who has signed in at the provider.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Identity {
    /// The address, which the provider has verified.
    pub(crate) email: EmailAddress,
    /// The name; may be empty.
    pub(crate) name: String,
    /// The groups.
    pub(crate) groups: Vec<String>,
}

/// The purpose that a token must have.
#[derive(Debug, Clone, Copy)]
pub(super) struct Expected<'a> {
    pub(super) issuer: &'a str,
    pub(super) client: &'a str,
    pub(super) nonce: &'a str,
    pub(super) groups_claim: &'a str,
    pub(super) now: DateTime<Utc>,
}

/// The reason why a token is refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub(crate) enum Refused {
    #[error("it is not formed as a signed token")]
    Form,
    #[error("it is signed by an algorithm that is not taken")]
    Algorithm,
    /// The keys may have been read before the provider had it.
    #[error("it is signed with a key that the provider does not list")]
    UnknownKey,
    #[error("its signature is wrong")]
    Signature,
    #[error("it is from another issuer")]
    Issuer,
    #[error("it is for another client")]
    Audience,
    #[error("it is for another sign-in")]
    Nonce,
    #[error("it is not valid yet, or not any more")]
    Time,
    #[error("it names no e-mail address")]
    NoEmail,
    #[error("the provider has not verified the e-mail address")]
    NotVerified,
}

/// The seconds by which clocks may differ.
const LEEWAY: f64 = 60.0;
/// The most groups that are read.
const MOST_GROUPS: usize = 1_000;

/// Returns who is signed in by a token.
pub(super) fn verified(token: &str, keys: &Keys, expected: Expected<'_>) -> Result<Identity, Refused> {
    let claims = claims(signed(token, keys)?)?;
    judged(claims, expected)
}

/// Returns the payload of a token whose signature is right.
fn signed(token: &str, keys: &Keys) -> Result<Vec<u8>, Refused> {
    let decode = |text: &str| URL_SAFE_NO_PAD.decode(text).map_err(|_| Refused::Form);
    let (message, signature) = token.rsplit_once('.').ok_or(Refused::Form)?;
    let (head, payload) = message.split_once('.').filter(|(_, payload)| !payload.contains('.')).ok_or(Refused::Form)?;
    let head: Head = serde_json::from_slice(&decode(head)?).map_err(|_| Refused::Form)?;
    if head.crit.is_some() {
        return Err(Refused::Form);
    }
    let kind = match head.alg.as_str() {
        "RS256" => "RSA",
        "ES256" => "EC",
        _ => return Err(Refused::Algorithm),
    };
    let known = keys.keys.iter().filter_map(|key| serde_json::from_value::<Key>(key.clone()).ok());
    let mut fitting = known.filter(|key| {
        key.kty == kind
            && key.usage.as_deref().is_none_or(|usage| usage == "sig")
            && key.alg.as_deref().is_none_or(|alg| alg == head.alg)
            && head.kid.as_ref().is_none_or(|kid| key.kid.as_ref() == Some(kid))
    });
    let key = fitting.next().ok_or(Refused::UnknownKey)?;
    // Without a key's id there may be one only.
    if head.kid.is_none() && fitting.next().is_some() {
        return Err(Refused::UnknownKey);
    }
    let part =
        |part: &Option<String>| decode(part.as_deref().ok_or(Refused::UnknownKey)?).map_err(|_| Refused::UnknownKey);
    let signature = decode(signature)?;
    let verified = if kind == "RSA" {
        let (n, e) = (part(&key.n)?, part(&key.e)?);
        RsaPublicKeyComponents { n: &n, e: &e }.verify(&RSA_PKCS1_2048_8192_SHA256, message.as_bytes(), &signature)
    } else {
        if key.crv.as_deref() != Some("P-256") {
            return Err(Refused::UnknownKey);
        }
        let point = [&[4][..], &part(&key.x)?, &part(&key.y)?].concat();
        UnparsedPublicKey::new(&ECDSA_P256_SHA256_FIXED, point).verify(message.as_bytes(), &signature)
    };
    verified.map_err(|_| Refused::Signature)?;
    decode(payload)
}

fn claims(payload: Vec<u8>) -> Result<Claims, Refused> {
    serde_json::from_slice(&payload).map_err(|_| Refused::Form)
}

fn judged(claims: Claims, expected: Expected<'_>) -> Result<Identity, Refused> {
    if claims.iss != expected.issuer {
        return Err(Refused::Issuer);
    }
    let audience = claims.aud.all();
    let is_for_us = audience.iter().any(|one| one == expected.client);
    let is_ours_alone = audience.len() == 1 || claims.azp.is_some();
    if !is_for_us || !is_ours_alone || claims.azp.as_ref().is_some_and(|party| party != expected.client) {
        return Err(Refused::Audience);
    }
    #[expect(clippy::cast_precision_loss, reason = "seconds of this era are exact")]
    let now = expected.now.timestamp() as f64;
    let is_over = claims.exp <= now - LEEWAY;
    let is_early = claims.iat > now + LEEWAY || claims.nbf.is_some_and(|from| from > now + LEEWAY);
    // Neither is true of what is no number.
    if is_over || is_early || !claims.exp.is_finite() {
        return Err(Refused::Time);
    }
    if claims.nonce.as_deref() != Some(expected.nonce) {
        return Err(Refused::Nonce);
    }
    let email = claims.email.as_deref().and_then(|email| email.parse().ok()).ok_or(Refused::NoEmail)?;
    if claims.email_verified != Some(serde_json::Value::Bool(true)) {
        return Err(Refused::NotVerified);
    }
    let groups = claims.others.get(expected.groups_claim).cloned();
    let groups = groups.and_then(|groups| serde_json::from_value::<OneOrMany>(groups).ok());
    let groups = groups.map(|groups| groups.all().iter().take(MOST_GROUPS).cloned().collect()).unwrap_or_default();
    Ok(Identity { email, name: claims.name.unwrap_or_default(), groups })
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    /// The examples of RFC 7515, A.2 and A.3: the keys, and the parts of the tokens.
    const RSA: &str = "ofgWCuLjybRlzo0tZWJjNiuSfb4p4fAkd_wWJcyQoTbji9k0l8W26mPddxHmfHQp-Vaw-4qPCJrcS2mJPMEzP1Pt0Bm4d4QlL-yRT-SFd2lZS-pCgNMsD1W_YpRPEwOWvG6b32690r2jZ47soMZo9wGzjb_7OMg0LOL-bSf63kpaSHSXndS5z5rexMdbBYUsLA9e-KXBdQOS-UTo7WTBEMa2R2CapHg665xsmtdVMTBQY4uDZlxvb3qCo5ZwKh9kG4LT6_I5IhlJH7aGhyxXFvUK-DWNmoudF8NAco9_h9iaGNj8q2ethFkMLs91kzk2PAcDTW9gb54h4FRWyuXpoQ";
    const PAYLOAD: &str =
        "eyJpc3MiOiJqb2UiLA0KICJleHAiOjEzMDA4MTkzODAsDQogImh0dHA6Ly9leGFtcGxlLmNvbS9pc19yb290Ijp0cnVlfQ";
    const RSA_SIGNATURE: &str = "cC4hiUPoj9Eetdgtv3hF80EGrhuB__dzERat0XF9g2VtQgr9PJbu3XOiZj5RZmh7AAuHIm4Bh-0Qc_lF5YKt_O8W2Fp5jujGbds9uJdbF9CUAr7t1dnZcAcQjbKBYNX4BAynRFdiuB--f_nZLgrnbyTyWzO75vRK5h6xBArLIARNPvkSjtQBMHlb1L07Qe7K0GarZRmB_eSN9383LcOLn6_dO--xi12jzDwusC-eOkHWEsqtFZESc6BfI7noOPqvhJ1phCnvWh6IeYI2w9QOYEUipUTI8np6LbgGY9Fs98rqVt5AXLIhWkWywlVmtVrBp0igcN_IoypGlUPQGe77Rw";
    const EC_SIGNATURE: &str = "DtEhU3ljbEg8L38VWAfUAqOyKAM6-Xx-F4GawxaepmXFCgfTjDxw5djxLa8ISlSApmWQxfKTUJqPP3-Kg6NU1Q";

    fn rsa() -> Value {
        json!({"kty": "RSA", "kid": "a", "use": "sig", "n": RSA, "e": "AQAB"})
    }

    fn ec() -> Value {
        json!({"kty": "EC", "crv": "P-256", "x": "f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU", "y": "x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0"})
    }

    fn head(text: &str) -> String {
        URL_SAFE_NO_PAD.encode(text)
    }

    #[test]
    fn signatures_are_those_of_the_standard_and_no_others() {
        let keys = |keys: &[Value]| Keys { keys: keys.to_vec() };
        let both = keys(&[json!({"kty": "oct", "k": "AyM1"}), rsa(), ec()]);
        let token = |head_text: &str, signature: &str| format!("{}.{PAYLOAD}.{signature}", head(head_text));
        let rs = token("{\"alg\":\"RS256\"}", RSA_SIGNATURE);
        let es = token("{\"alg\":\"ES256\"}", EC_SIGNATURE);
        assert!(signed(&rs, &both).is_ok() && signed(&es, &both).is_ok());
        for (token, keys, refused) in [
            (token("{\"alg\":\"none\"}", ""), &both, Refused::Algorithm),
            (token("{\"alg\":\"HS256\"}", RSA_SIGNATURE), &both, Refused::Algorithm),
            (token("{\"alg\":\"ES256\"}", RSA_SIGNATURE), &both, Refused::Signature),
            (token("{\"alg\":\"RS256\",\"kid\":\"b\"}", RSA_SIGNATURE), &both, Refused::UnknownKey),
            (token("{\"alg\":\"RS256\",\"crit\":[\"b64\"]}", RSA_SIGNATURE), &both, Refused::Form),
            (rs.clone(), &keys(&[ec()]), Refused::UnknownKey),
            (rs.clone(), &keys(&[rsa(), rsa()]), Refused::UnknownKey),
            (rs.replacen("cC4h", "cC4i", 1), &both, Refused::Signature),
            (rs.replacen(".eyJp", ".eyJq", 1), &both, Refused::Signature),
            (String::new(), &both, Refused::Form),
            (format!("{rs}.{rs}"), &both, Refused::Form),
        ] {
            assert_eq!(signed(&token, keys), Err(refused), "{token}");
        }
    }

    #[test]
    fn a_token_is_for_one_client_one_sign_in_and_a_time() {
        let now = DateTime::from_timestamp(1_800_000_000, 0).unwrap();
        let expected = Expected { issuer: "https://id.example", client: "us", nonce: "n", groups_claim: "groups", now };
        let right = json!({
            "iss": "https://id.example", "aud": "us", "exp": 1_800_000_300, "iat": 1_800_000_000, "nonce": "n",
            "email": "Jo@Example.org", "email_verified": true, "name": "Jo", "groups": ["a11y", "web"],
        });
        let judge = |changed: Value| {
            let mut token = right.clone();
            token.as_object_mut().unwrap().extend(changed.as_object().unwrap().clone());
            judged(claims(serde_json::to_vec(&token).unwrap())?, expected)
        };
        let identity = judge(json!({})).unwrap();
        assert_eq!((identity.email.as_str(), identity.groups.len()), ("jo@example.org", 2));
        assert_eq!(judge(json!({"groups": "web"})).unwrap().groups, ["web"]);
        assert!(judge(json!({"groups": {"x": 1}})).unwrap().groups.is_empty());
        assert!(judge(json!({"aud": ["us", "them"], "azp": "us"})).is_ok());
        assert!(judge(json!({"exp": 1_799_999_941})).is_ok(), "clocks differ");
        for (changed, refused) in [
            (json!({"iss": "https://id.example/"}), Refused::Issuer),
            (json!({"aud": "them"}), Refused::Audience),
            (json!({"aud": ["us", "them"]}), Refused::Audience),
            (json!({"aud": "us", "azp": "them"}), Refused::Audience),
            (json!({"aud": []}), Refused::Audience),
            (json!({"exp": 1_799_999_940}), Refused::Time),
            (json!({"iat": 1_800_000_061}), Refused::Time),
            (json!({"nbf": 1_800_000_061}), Refused::Time),
            (json!({"nonce": "m"}), Refused::Nonce),
            (json!({"nonce": null}), Refused::Nonce),
            (json!({"email": null}), Refused::NoEmail),
            (json!({"email": "jo"}), Refused::NoEmail),
            (json!({"email_verified": false}), Refused::NotVerified),
            (json!({"email_verified": "true"}), Refused::NotVerified),
            (json!({"email_verified": null}), Refused::NotVerified),
            (json!({"exp": "1800000300"}), Refused::Form),
            (json!({"exp": null}), Refused::Form),
            (json!({"iat": null}), Refused::Form),
        ] {
            assert_eq!(judge(changed.clone()), Err(refused), "{changed}");
        }
    }
}
