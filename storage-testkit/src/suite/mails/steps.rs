//! The steps that cases about mail begin with.

use a11ycheck_core::{
    Store,
    domain::{Mail, MailOutcome, NewMail, PlainSecret, SecretHash, SharedSetting},
    id::{MailId, WorkerId},
    locale::Locale,
    store::{ClaimedMail, MailStore},
};
use chrono::TimeDelta;

use crate::suite::world::World;

pub(crate) const TERM: TimeDelta = TimeDelta::minutes(2);

impl<S: Store + MailStore> World<S> {
    /// Lets mail be sent.
    pub(crate) async fn send_mail(&self) {
        self.store.replace_setting(SharedSetting::Mail, SharedSetting::ON).await.unwrap();
    }

    pub(crate) fn new_mail(&self) -> NewMail {
        NewMail { id: MailId::generate(self.now()), locale: Locale::De }
    }

    /// Claims a mail, and returns it with the hash of its link.
    pub(crate) async fn claim_mail(&self) -> Option<(ClaimedMail, SecretHash)> {
        let link = PlainSecret::generate().hash();
        let claimed = self.store.claim_mail(&WorkerId::generate(), TERM, link).await.unwrap();
        claimed.map(|mail| (mail, link))
    }

    /// Sends all mail that is due, and returns it with the hashes of the links.
    pub(crate) async fn sent_mail(&self) -> Vec<(ClaimedMail, SecretHash)> {
        let mut sent = Vec::new();
        while let Some((mail, link)) = self.claim_mail().await {
            self.store.record_mail(mail.claim, MailOutcome::Sent).await.unwrap();
            sent.push((mail, link));
        }
        sent
    }

    /// Sends all mail that is due, and returns the addresses in alphabetical order.
    pub(crate) async fn readers(&self) -> Vec<String> {
        let mut readers: Vec<String> =
            self.sent_mail().await.into_iter().map(|(mail, _)| mail.to.as_str().to_owned()).collect();
        readers.sort_unstable();
        readers
    }

    /// Asks for another password, sends what is due, and returns the link.
    pub(crate) async fn reset(&self, email: &str) -> Option<SecretHash> {
        self.store.request_reset(self.new_mail(), &email.parse().unwrap()).await.unwrap();
        self.sent_mail().await.pop().map(|(_, link)| link)
    }

    pub(crate) async fn record_mail(&self, mail: &ClaimedMail, outcome: MailOutcome) -> Mail {
        self.store.record_mail(mail.claim, outcome).await.unwrap()
    }
}
