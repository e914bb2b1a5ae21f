use engine::data::*;
fn main(){
 let mut s=DataSpec{corpus:"jargon".into(),tokenizer:"bpe-4096".into(),vocabulary:4096,documents:Default::default(),row_tokens:256,rows_per_step:8,leaves:4,seed:7,cache:None};
 for c in ["jargon","devil"]{ s.corpus=c.into(); let t=std::time::Instant::now(); let d=Dataset::open(&s).unwrap(); let e=t.elapsed();
  let t=std::time::Instant::now(); let r=d.row_count(0); let p=t.elapsed();
  println!("{c} open {e:?} docs {} tokens {} H {} rows {r} steps {} pad {} pack {p:?}",d.document_count(),d.token_count(),d.unigram_entropy(),d.steps_in_epoch(0),d.padding_share(0));
  let mut l:Vec<usize>=(0..d.document_count()).map(|i|d.document(i).len()).collect(); l.sort(); println!("len median {} p90 {} max {}",l[l.len()/2],l[l.len()*9/10],l[l.len()-1]);
  let t=std::time::Instant::now(); for i in 0..50{d.batch(i).unwrap();} println!("50 batches {:?}",t.elapsed());
 }
 s.corpus="jargon".into();
 let dir=std::env::temp_dir().join("tokc"); s.cache=Some(dir.clone()); Dataset::open(&s).unwrap(); let t=std::time::Instant::now(); Dataset::open(&s).unwrap(); println!("cached open {:?}",t.elapsed()); s.cache=None; std::fs::remove_dir_all(dir).unwrap();
 for n in [44,48,50,52,54,56,58,60] { for f in [0,40,100]{ s.documents=DocumentSlice{first:f,count:Some(n),bytes:None}; let t=std::time::Instant::now(); let d=Dataset::open(&s).unwrap(); let e=t.elapsed();
  println!("first {f} count {n}: tokens {} rows {:?} pad {:.3} H {:.3} open {e:?}",d.token_count(),(0..4).map(|e|d.row_count(e)).collect::<Vec<_>>(),d.padding_share(0),d.unigram_entropy()); }}
 let o=EpochOrder::new(7,1,10); println!("{:?}",(0..10).map(|i|o.document(i)).collect::<Vec<_>>());
}
