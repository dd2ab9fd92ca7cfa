(function(){
var rows=Array.prototype.slice.call(document.querySelectorAll('.row'));
var box=document.getElementById('filter'),said=document.getElementById('said');
// The text that JSON stands for is found too: \u00e9, \/ and \" are what they mean.
function plain(s){return s.replace(/\\u([0-9a-f]{4})|\\(["\\\/])/gi,function(_,u,c){return u?String.fromCharCode(parseInt(u,16)):c})}
box.addEventListener('input',function(){
var words=box.value.toLowerCase().split(/\s+/).filter(Boolean),n=0;
rows.forEach(function(r){
var text=(r.textContent+'\n'+plain(r.textContent)).toLowerCase();
var on=words.every(function(w){return text.indexOf(w)>=0});
r.hidden=!on;if(on)n++;
});
said.textContent=words.length?n+' of '+rows.length:'';
});
document.getElementById('unfold').addEventListener('click',function(){
var open=rows.some(function(r){return r.tagName==='DETAILS'&&!r.hidden&&!r.open});
rows.forEach(function(r){if(r.tagName==='DETAILS'&&!r.hidden)r.open=open});
});
// A link names a frame: its row, the row of its request, or the row it lies in.
function show(){
var m=/^#n(\d+)$/.exec(location.hash),near=null,response=null;
if(!m)return;
rows.forEach(function(r){
var n=+r.id.slice(1);
if(n<=+m[1]&&(!near||n>+near.id.slice(1)))near=r;
if(r.getAttribute('data-response')===m[1])response=r;
});
var it=response||near;
rows.forEach(function(r){r.classList.toggle('here',r===it)});
if(it){it.hidden=false;it.open=true;it.scrollIntoView({block:'center'})}
}
window.addEventListener('hashchange',show);show();
})();
