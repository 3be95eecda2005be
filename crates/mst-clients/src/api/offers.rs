//! Offers, remembered: trials that share their sessions are offered the same tools.

use std::sync::{Arc, Mutex, PoisonError};

use mst_mcp::ToolSurface;
use mst_model::{ServerLabel, ToolMetadata};

use super::offer::{Offer, OfferError};
use super::skills::SkillTools;

/// The last offer. A session's listing is one value as long as it lives, so that an offer made of the same values for
/// the same metadata is the same offer; any other listing replaces it.
#[derive(Debug, Default)]
pub(super) struct Offers(Mutex<Option<Made>>);

#[derive(Debug)]
struct Made {
    listed: Vec<(ServerLabel, Arc<ToolSurface>)>,
    metadata: ToolMetadata,
    skills: SkillTools,
    offer: Arc<Offer>,
}

impl Made {
    fn is_of(
        &self,
        listed: &[(&ServerLabel, &Arc<ToolSurface>)],
        metadata: &ToolMetadata,
        skills: &SkillTools,
    ) -> bool {
        self.listed.len() == listed.len()
            && self
                .listed
                .iter()
                .zip(listed)
                .all(|(made, (label, surface))| made.0 == **label && Arc::ptr_eq(&made.1, surface))
            && self.metadata == *metadata
            && self.skills == *skills
    }
}

impl Offers {
    /// Returns the offer of some servers' listings.
    pub(super) fn of(
        &self,
        listed: &[(&ServerLabel, &Arc<ToolSurface>)],
        metadata: &ToolMetadata,
        skills: &SkillTools,
    ) -> Result<Arc<Offer>, OfferError> {
        if let Some(made) = self.last().as_ref().filter(|made| made.is_of(listed, metadata, skills)) {
            return Ok(Arc::clone(&made.offer));
        }
        let offer = Arc::new(Offer::new(listed, metadata, skills)?);
        let listed = listed.iter().map(|(label, surface)| ((*label).clone(), Arc::clone(surface))).collect();
        *self.last() =
            Some(Made { listed, metadata: metadata.clone(), skills: skills.clone(), offer: Arc::clone(&offer) });
        Ok(offer)
    }

    fn last(&self) -> std::sync::MutexGuard<'_, Option<Made>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use mst_model::ToolPatch;

    use super::super::scripted::surface;
    use super::*;

    #[test]
    fn an_offer_is_made_again_when_anything_about_it_is_new() {
        let offers = Offers::default();
        let (parts, bins) = (ServerLabel::from("parts"), ServerLabel::from("bins"));
        let (first, second) = (Arc::new(surface(&["lookup"])), Arc::new(surface(&["lookup"])));
        let plain = ToolMetadata::default();
        let renamed: ToolMetadata =
            [("lookup".to_owned(), ToolPatch { name: Some("find".into()), ..ToolPatch::default() })]
                .into_iter()
                .collect();
        let of = |label, surface, metadata| {
            offers.of(&[(label, surface)], metadata, &SkillTools::default()).expect("an offer")
        };

        let offer = of(&parts, &first, &plain);
        assert!(Arc::ptr_eq(&offer, &of(&parts, &first, &plain)));
        for (label, surface, metadata) in
            [(&parts, &second, &plain), (&bins, &first, &plain), (&parts, &first, &renamed)]
        {
            assert!(!Arc::ptr_eq(&offer, &of(label, surface, metadata)), "{label} {metadata:?}");
        }
        assert_eq!(of(&parts, &first, &renamed).names(), ["find"]);
    }
}
