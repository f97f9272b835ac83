//! The envelope: the members that all events have in common.

use serde::{Deserialize, Serialize};

/// The body of an event: what all events have in common, around the data of its kind (contract §13.3).
///
/// `T` is the type of `data`. A receiver that handles several kinds first reads `serde_json::Value`, looks at
/// [`kind`](Self::kind), and treats kinds that it does not know as received: later releases may send others. For the same
/// reason, members without a field here are ignored.
///
/// ```
/// use a11ycheck_signing::Envelope;
///
/// #[derive(serde::Deserialize)]
/// struct Completed {
///     new_issues: u64,
/// }
///
/// let body = r#"{
///     "id": "evt_01M3V8M1C0Q3Z9D8W7S6N5B4A2",
///     "type": "scan.completed",
///     "created_at": "2027-06-01T12:00:00.000000Z",
///     "data": {"new_issues": 3}
/// }"#;
/// let event: Envelope<Completed> = serde_json::from_str(body)?;
/// assert_eq!((event.kind.as_str(), event.data.new_issues), ("scan.completed", 3));
/// # Ok::<(), serde_json::Error>(())
/// ```
// Exhaustive on purpose: the sender must set each member, and another member is a change of the contract.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Envelope<T> {
    /// The id of the event, `evt_…`. Deliveries of one event to several endpoints, and repeated deliveries, have the same one.
    pub id: String,
    /// The kind of the event, for example `scan.completed`: the member `type`.
    #[serde(rename = "type")]
    pub kind: String,
    /// The instant at which it happened, as RFC 3339 in UTC with six digits after the point.
    pub created_at: String,
    /// The data of the event.
    pub data: T,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_event_has_its_members_in_the_order_of_the_contract() {
        let event = Envelope {
            id: "evt_1".to_owned(),
            kind: "ping".to_owned(),
            created_at: "2027-06-01T12:00:00.000000Z".to_owned(),
            data: ["Grüße ✓"],
        };
        let body = r#"{"id":"evt_1","type":"ping","created_at":"2027-06-01T12:00:00.000000Z","data":["Grüße ✓"]}"#;
        assert_eq!(serde_json::to_string(&event).unwrap(), body);
    }

    #[test]
    fn a_member_of_a_later_release_is_no_reason_to_refuse_an_event() {
        let body = r#"{"id":"evt_1","type":"ping","created_at":"2027-06-01T12:00:00.000000Z","data":{},"account":"a"}"#;
        let event: Envelope<serde_json::Value> = serde_json::from_str(body).unwrap();
        assert_eq!((event.id.as_str(), event.kind.as_str(), event.data), ("evt_1", "ping", serde_json::json!({})));
    }
}
